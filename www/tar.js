// A folder of text files as a tar archive, in the form that POSIX calls ustar.

const BLOCK = 512;
const zeros = (count) => '\0'.repeat(count);
const octal = (number, digits = 7) => `${number.toString(8).padStart(digits, '0')}\0`;

/** An archive, in UTF-8, of files `{ path, text }` in a folder. Their names are ASCII and fit, 99 characters with the folder. */
export const tar = (folder, files) => files.map(({ path, text }) => {
  const { size } = new Blob([text]);
  return header(`${folder}/${path}`, size) + text + zeros(-size & (BLOCK - 1));
}).join('') + zeros(2 * BLOCK);

function header(name, size) {
  const start = name.padEnd(100, '\0') + octal(0o644) + octal(0).repeat(2) + octal(size, 11) + octal(Math.floor(Date.now() / 1000), 11);
  const end = `0${zeros(100)}ustar\x0000`;
  // The sum counts its own eight places as blanks.
  const sum = [...start + end].reduce((all, letter) => all + letter.charCodeAt(), 8 * 32);
  return `${start}${octal(sum, 6)} ${end}`.padEnd(BLOCK, '\0');
}
