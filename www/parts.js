// The engine's parts: what a page needs is loaded when it is needed first, and once.
import init from './pkg/haulout.js';

let engine;

/** What renders; the rest needs it. */
export function rendering() {
  engine ??= init();
  return engine;
}

/** The templates of the packages that the engine holds: `packages`, `Session.open_package` and what names a package need them. */
export function templates() {
  return rendering();
}

/** Packaging: `select`, `installSet`, `upgrade`, `buildPackage`, `buildRepository`, `verifyRepository`, `release` need it. */
export function packaging() {
  return rendering();
}
