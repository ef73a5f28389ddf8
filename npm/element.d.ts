import type { Diagnostic, InputFile, RenderedDocument } from './www/pkg/haulout.js';

/** What `haulout-render` tells. */
export interface RenderDetail {
  /** What the command line prints. */
  text: string;
  documents: RenderedDocument[];
  /** How long it took, in milliseconds. */
  ms: number;
}
/** What `haulout-error` tells: the command line's words, and their parts. */
export interface ErrorDetail { error: string; diagnostics: Diagnostic[] }
/** What `haulout-change` tells, after a person changed values: YAML text, and whether it differs from what the page gave. */
export interface ChangeDetail { values: string; changed: boolean }

export interface HauloutEventMap {
  'haulout-render': CustomEvent<RenderDetail>;
  'haulout-error': CustomEvent<ErrorDetail>;
  'haulout-change': CustomEvent<ChangeDetail>;
}

declare class HauloutElement extends HTMLElement {
  /** A package that the engine carries, or the URL of a folder (ends with `/`, has a `files.json`), of an archive, or of a file. */
  src: string;
  theme: 'auto' | 'light' | 'dark';
  /** `lazy` waits until the element is about to be seen, `click` for the reader; `eager` begins at once. */
  loading: 'lazy' | 'click' | 'eager';
  /** Renders now. */
  render(): Promise<RenderDetail | ErrorDetail>;
  /** The values as they stand: YAML text. */
  exportValues(): string;
  addEventListener<K extends keyof HauloutEventMap>(type: K, listener: (this: this, event: HauloutEventMap[K]) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener<K extends keyof HTMLElementEventMap>(type: K, listener: (this: this, event: HTMLElementEventMap[K]) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

/** `<haulout-preview>`: rendered manifests, which follow the values. */
export class HauloutPreview extends HauloutElement {
  /** The documents to show: `Kind` or `Kind/name`, `*` for any kind, several with spaces between. All, if it is empty. */
  show: string;
  get values(): string;
  /** YAML text, or plain data. */
  set values(values: string | Record<string, unknown>);
  get files(): InputFile[] | undefined;
  /** Templates in place of `src`. */
  set files(files: InputFile[] | Record<string, string | Uint8Array> | undefined);
}

/** `<haulout-configurator>`: a form for the templates, and what comes of it. */
export class HauloutConfigurator extends HauloutElement {
  /** Where the page's files are; beside element.js if it is not given. */
  base: string;
}

declare global {
  interface HTMLElementTagNameMap {
    'haulout-preview': HauloutPreview;
    'haulout-configurator': HauloutConfigurator;
  }
}
