// Prints the files below a folder as the page loads them: an array of { path, data }.
//
//   templates.mjs FOLDER
//
// Files of one name stand beside each other, since versions differ little, and a server's gzip sees 32 KiB back.
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

const [folder] = process.argv.slice(2);
const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const paths = entries.map((entry) => relative(folder, join(entry.path, entry.name)));
const key = (path) => `${basename(path)} ${path.split("/")[2]} ${path}`;
paths.sort((a, b) => (key(a) < key(b) ? -1 : 1));
process.stdout.write(JSON.stringify(paths.map((path) => ({ path, data: readFileSync(join(folder, path), 'utf8') }))));
