import type { Form, InputFile, Package, Rendering, RenderOptions } from './www/pkg/haulout.js';
export type {
  Diagnostic, Form, FormField, InputFile, OutputFile, Package, Place, RenderedDocument, Rendering, RenderOptions,
} from './www/pkg/haulout.js';

/** Templates: a package that the engine carries (`pinniped/concierge`, `pinniped/concierge@0.25.0`), or files in the order of `-f`. */
export type Source =
  | { package: string; files?: undefined }
  | { package?: undefined; files: InputFile[] | Record<string, string | Uint8Array> };

/** The command line's flags; values are YAML text or plain data. */
export interface Request extends Omit<RenderOptions, 'values'> {
  values?: string | Record<string, unknown>;
}

/** Templates that are rendered again and again. */
export interface OpenSource {
  /**
   * Renders. What is wrong with the templates or the values is in the rendering: `error` is what the command line says, `diagnostics` its parts.
   * Rejects if the engine itself fails; in a browser also if a newer render of the same source was asked for meanwhile.
   */
  render(request?: Request): Promise<Rendering>;
  /** What to ask a person for. */
  form(): Promise<Form>;
  /** Frees what is held. */
  close(): Promise<void>;
}

/** Renders once: `await render({ files: { 'config.yml': '…' }, values: { replicas: 3 } })`. */
export function render(request: Source & Request): Promise<Rendering>;
/** Opens templates for many renders. */
export function open(source: Source): Promise<OpenSource>;
/** The packages that the engine carries, the newest version of each first. */
export function packages(): Promise<Package[]>;
