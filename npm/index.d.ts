import type {
  BuiltPackage, BuiltRepository, BundleArchive, BundleFiles, BundleInspection, BundleOptions, Form, InputFile, InstallOptions, InstallSet, Locked,
  LockOptions, MadeFile, NamedFiles, Package, PackageOptions, Release, ReleaseOptions, Rendering, RenderOptions, RepositoryInstallOptions,
  RepositoryOptions, Selected, SelectOptions, UpgradeOptions, UpgradeReport, Values, Verdict, VerifyOptions,
} from './www/pkg/haulout.js';
export type {
  Accepted, BuiltPackage, BuiltRepository, BundleArchive, BundleFiles, BundleInspection, BundleOptions, Diagnostic, Form, FormField, InputFile,
  InstallOptions, InstallSet, Locked, LockOptions, MadeFile, NamedFiles, ObjectName, OutputFile, Package, PackageOptions, PermissionRule, Place, Release,
  ReleaseOptions, RenderedDocument, Rendering, RenderOptions, RepositoryInstallOptions, RepositoryOptions, Selected, SelectOptions, Upgrade,
  UpgradeOptions, UpgradeReport, Values, Verdict, VerifyOptions,
} from './www/pkg/haulout.js';

/** Files: a list, contents by path, or the `files` that another call has made. */
export type Files = InputFile[] | MadeFile[] | Record<string, string | Uint8Array>;
/** Options of packaging: files in any of these forms, and values as text, as data, or as files with names. */
export type Given<Options> = {
  [Key in keyof Options]: Key extends 'values' | 'fromValues' ? Values | Record<string, unknown>
    : NonNullable<Options[Key]> extends InputFile[] ? Files
    : NonNullable<Options[Key]> extends NamedFiles[] ? { name: string; files: Files }[]
    : Options[Key];
};

/** Templates: a package that the engine carries (`pinniped/concierge`, `pinniped/concierge@0.25.0`), or files in the order of `-f`. */
export type Source =
  | { package: string; files?: undefined }
  | { package?: undefined; files: Files };

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
  /** The resources that install it: what `haulout install` writes. Rejects in the command line's words. */
  installSet(options: Given<InstallOptions>): Promise<InstallSet>;
  /** Frees what is held. */
  close(): Promise<void>;
}

/** Renders once: `await render({ files: { 'config.yml': '…' }, values: { replicas: 3 } })`. */
export function render(request: Source & Request): Promise<Rendering>;
/** Opens templates for many renders. */
export function open(source: Source): Promise<OpenSource>;
/** The packages that the engine carries, the newest version of each first. */
export function packages(): Promise<Package[]>;

// Carvel's packaging: each is a command, with files in and files out, and rejects in the command line's words.

/** Which version of a package an install gets; what it rejects with has `filters` and `warnings` too if no version is left. */
export function select(options: Given<SelectOptions>): Promise<Selected>;
/** The resources that install a package of a repository. */
export function installSet(options: Given<RepositoryInstallOptions>): Promise<InstallSet>;
/** What another version of a package changes. */
export function upgrade(options: Given<UpgradeOptions>): Promise<UpgradeReport>;
/** A package from templates: its bundle, the Package and its PackageMetadata. */
export function buildPackage(options: Given<PackageOptions>): Promise<BuiltPackage>;
/** A repository with more packages, and the PackageRepository. */
export function buildRepository(options: Given<RepositoryOptions>): Promise<BuiltRepository>;
/** Whether a repository is in order. */
export function verifyRepository(options: Given<VerifyOptions>): Promise<Verdict>;
/** What a release would write and push. */
export function release(options: Given<ReleaseOptions>): Promise<Release>;
/** Resources with their images by digest, as far as that needs no registry. */
export function lock(options: Given<LockOptions>): Promise<Locked>;
/** A bundle with its images as an archive for a site without a network. */
export function bundleToTar(options: Given<BundleOptions>): Promise<BundleArchive>;
/** The files of a bundle in an archive. */
export function bundleFromTar(options: Given<BundleOptions>): Promise<BundleFiles>;
/** What is in a bundle. */
export function inspectBundle(options: Given<BundleOptions>): Promise<BundleInspection>;
