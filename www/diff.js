// The difference between two texts, line by line.

/** How many edits are looked for before a part counts as replaced. */
const PATIENCE = 1_500;

/** What was compared last: the result of a change is looked at in several places. */
let last = {};

/**
 * The lines of both texts in order: `{ kind: 'same' | 'added' | 'removed', line, at }`, `at` the line's
 * index in the second text (of a removed line: where it stood).
 */
export function lineDiff(before, after) {
  if (last.before !== before || last.after !== after) last = { before, after, entries: compare(before, after) };
  return last.entries;
}

function compare(before, after) {
  const [a, b] = [before, after].map((text) => text.split('\n'));
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const middle = edits(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const result = b.slice(0, start).map((line, at) => ({ kind: 'same', line, at }));
  for (const { kind, line, at } of middle) result.push({ kind, line, at: at + start });
  for (let at = b.length - end; at < b.length; at += 1) result.push({ kind: 'same', line: b[at], at });
  return wholeDocuments(result);
}

/** Slides each run of one kind up to where it begins with `---`, if the lines allow it: whole documents then come and go. */
function wholeDocuments(entries) {
  for (let first = 0, next; first < entries.length; first = next) {
    const { kind } = entries[first];
    for (next = first + 1; next < entries.length && entries[next].kind === kind; next += 1);
    if (kind === 'same') continue;
    let up = 0;
    const slides = () => {
      const before = entries[first - up - 1];
      return before?.kind === 'same' && before.line === entries[next - up - 1].line;
    };
    while (entries[first - up].line !== '---' && slides()) up += 1;
    if (entries[first - up].line !== '---') continue;
    for (let step = 1; step <= up; step += 1) {
      entries[first - step].kind = kind;
      entries[next - step].kind = 'same';
    }
  }
  let at = 0;
  for (const entry of entries) {
    entry.at = at;
    if (entry.kind !== 'removed') at += 1;
  }
  return entries;
}

/** Myers' shortest edit: the furthest reach of each diagonal, one edit more at a time. */
function edits(a, b) {
  const offset = a.length + b.length + 1;
  let reach = new Int32Array(2 * offset + 1);
  const trail = [];
  for (let edit = 0; edit <= Math.min(PATIENCE, a.length + b.length); edit += 1) {
    trail.push(reach.slice(offset - edit - 1, offset + edit + 2));
    for (let diagonal = -edit; diagonal <= edit; diagonal += 2) {
      const down = diagonal === -edit || (diagonal !== edit && reach[offset + diagonal - 1] < reach[offset + diagonal + 1]);
      let x = down ? reach[offset + diagonal + 1] : reach[offset + diagonal - 1] + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1;
      reach[offset + diagonal] = x;
      if (x >= a.length && x - diagonal >= b.length) return walkBack(trail, a, b);
    }
  }
  return [
    ...a.map((line) => ({ kind: 'removed', line, at: 0 })),
    ...b.map((line, at) => ({ kind: 'added', line, at })),
  ];
}

function walkBack(trail, a, b) {
  const result = [];
  let [x, y] = [a.length, b.length];
  for (let edit = trail.length - 1; edit >= 0; edit -= 1) {
    const reach = (diagonal) => trail[edit][diagonal + edit + 1];
    const diagonal = x - y;
    const down = diagonal === -edit || (diagonal !== edit && reach(diagonal - 1) < reach(diagonal + 1));
    const before = down ? diagonal + 1 : diagonal - 1;
    const fromX = edit === 0 ? 0 : reach(before);
    const fromY = edit === 0 ? 0 : fromX - before;
    while (x > fromX && y > fromY && (edit === 0 || x > (down ? fromX : fromX + 1) || y > (down ? fromY + 1 : fromY))) {
      x -= 1;
      y -= 1;
      result.push({ kind: 'same', line: b[y], at: y });
    }
    if (edit === 0) break;
    if (down) {
      y -= 1;
      result.push({ kind: 'added', line: b[y], at: y });
    } else {
      x -= 1;
      result.push({ kind: 'removed', line: a[x], at: y });
    }
  }
  return result.reverse();
}

/**
 * Indices of lines of `after`: `made` are not in `before`, `near` are these and, where lines are only missing, the line
 * that follows.
 */
export function changedLines(before, after) {
  const changes = lineDiff(before, after).filter(({ kind }) => kind !== 'same');
  const places = (list) => new Set(list.map(({ at }) => at));
  return { made: places(changes.filter(({ kind }) => kind === 'added')), near: places(changes) };
}
