//! The shapes that cross, for TypeScript.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A package that the engine holds. */
export interface Package { name: string; title: string; version: string }
/** Where something stands: a file and a line from 1. */
export interface Place { file: string; line?: number }
/** One thing that is wrong, in the command line's words. */
export interface Diagnostic {
  severity: 'error' | 'warning';
  message: string;
  /** The data value it belongs to, outermost key first. */
  path: string[];
  origin?: Place;
  rule?: Place;
  found?: string;
  expected?: string;
  hints: string[];
}
/** One rendered document: its kind and name if it has them. */
export interface RenderedDocument { kind?: string; name?: string }
/** What a render gave: `text` is what the command line prints, `error` what it says if it fails. */
export interface Rendering {
  text: string;
  documents: RenderedDocument[];
  /** What `--output-files` would write. */
  files: OutputFile[];
  /** What templates print. */
  printed: string;
  error: string;
  diagnostics: Diagnostic[];
}
/** Where each line of a rendering's text came from: an index of `files` and a line from 1; `[-1, 0]` is nowhere. */
export interface Origins { files: string[]; lines: [file: number, line: number][] }
/** Data values with the comments of another text; `lost` comments have nothing to stand at any more. */
export interface Rewriting { text: string; lost: number }
/** Data values as they were read: as JSON, keys in their order and floats with their point, or what is wrong. */
export interface Reading { json?: string; error: string }
/** A file for a session. */
export interface InputFile { path: string; data: string | Uint8Array }
/** A file of a result. */
export interface OutputFile { path: string; text: string }
/** What to render and how: the command line's flags. */
export interface RenderOptions {
  /** Plain YAML of data values, as `--data-values-file -` takes it. */
  values?: string;
  /** `--data-values-file`; a name is what messages call the file. */
  dataValuesFiles?: { name: string; data: string }[];
  /** `--data-value`, each `key=text`. */
  dataValues?: string[];
  /** `--data-value-yaml`, each `key=YAML`. */
  dataValuesYaml?: string[];
  /** `--data-value-file` with the content in place of the path. */
  dataValueFiles?: { key: string; path: string; data: string }[];
  /** `--data-values-env`: prefixes of `environment`. */
  dataValuesEnv?: string[];
  /** `--data-values-env-yaml` */
  dataValuesEnvYaml?: string[];
  /** Variables that the two above are looked up in. */
  environment?: Record<string, string>;
  /** `--file-mark` */
  fileMarks?: string[];
  strict?: boolean;
  ignoreUnknownComments?: boolean;
  implicitMapKeyOverrides?: boolean;
  /** `--dangerous-data-values-disable-validation` */
  skipValidation?: boolean;
  /** The final data values (`--data-values-inspect`), their schema in a form, or the paths of the files (`--files-inspect`), in place of the documents. */
  inspect?: 'values' | 'files' | 'openapi-v3' | 'json-schema' | 'markdown' | 'skeleton';
  /** `-o` */
  output?: 'yaml' | 'json' | 'pos';
}
/** A field of a form: what `Session.form` gives. See `src/schema/export/form.rs`. */
export interface FormField {
  key?: string;
  type: 'map' | 'array' | 'string' | 'integer' | 'float' | 'boolean' | 'any';
  nullable?: boolean;
  title?: string;
  description?: string;
  deprecated?: string;
  default: unknown;
  yaml: string;
  examples?: { description: string; value: unknown; yaml: string }[];
  rules?: string[];
  conditional?: boolean;
  choices?: unknown[];
  not_null?: boolean;
  min?: unknown;
  max?: unknown;
  min_len?: number;
  max_len?: number;
  fields?: FormField[];
  item?: FormField;
  file?: string;
  line?: number;
}
/** The form of a session's data values: `declared` is false if it is guessed from the defaults, for want of a schema. */
export interface Form { declared: boolean; root: FormField }
/** A file of a repository, a bundle or an install: bytes only if they are no text. */
export interface MadeFile { path: string; text: string | Uint8Array }
/** Data values: one text of plain YAML, or files of it of which later ones win; a name is what messages call the file. */
export type Values = string | { name: string; data: string }[];
/** Pre-releases that are accepted: all of them, or those that have one of these identifiers. */
export type Accepted = boolean | string[];
/**
 * What `select` is asked: `haulout select`. What throws has the command line's text as its message.
 */
export interface SelectOptions {
  /** Versions to select from, … */
  available?: string[];
  /** … or the files of a repository (`packages/…`), with the name of a package in it. */
  repository?: InputFile[];
  /** What messages call the repository. */
  folder?: string;
  refName?: string;
  constraints?: string;
  prereleases?: Accepted;
  installed?: string;
  downgradable?: boolean;
  kubernetesVersion?: string;
  kappControllerVersion?: string;
}
/** What each filter left, and what may not be meant. If no version is left, the error that is thrown has both too. */
export interface Selected {
  version: string;
  filters: { filter: string; left: string[] }[];
  warnings: string[];
}
/** How a session's package is to be installed. */
export interface InstallOptions {
  refName: string;
  /** The version; a package that the engine holds has its own. */
  version?: string;
  /** Versions to accept from now on; this one alone if there are none. */
  constraints?: string;
  prereleases?: Accepted;
  values?: Values;
  overlays?: InputFile[];
  namespace: string;
  /** The install's name; the first part of the package's if there is none. */
  name?: string;
  serviceAccount?: string;
  rbac?: 'least' | 'cluster-admin';
  /** The repository's bundle, `HOST/NAME@sha256:…`; without it there is no PackageRepository. */
  repositoryBundle?: string;
}
/** How a package of a repository is to be installed: `haulout install`. */
export interface RepositoryInstallOptions extends Omit<InstallOptions, 'version' | 'repositoryBundle'> {
  /** All files of the repository, `bundles/…` among them. */
  repository: InputFile[];
  /** What messages call it. */
  folder?: string;
  /** Where the repository's bundle is, `HOST/NAME`; without it there is no PackageRepository. */
  bundleRepo?: string;
}
/** What `haulout install` writes and prints; `FOLDER` in the steps stands for where the files are. */
export interface InstallSet {
  version: string;
  files: MadeFile[];
  install: string[];
  uninstall: string[];
  warnings: string[];
}
/** Two versions to compare: `haulout upgrade`. */
export interface UpgradeOptions {
  /** The files of a repository, `bundles/…` among them; or … */
  repository?: InputFile[];
  /** What messages call the repository. */
  folder?: string;
  /** … a package that the engine holds, `pinniped/supervisor`; or … */
  package?: string;
  /** … the templates of both versions. */
  fromFiles?: InputFile[];
  toFiles?: InputFile[];
  refName: string;
  from: string;
  /** The version to compare with; for a repository, `constraints` may select it. */
  to?: string;
  constraints?: string;
  prereleases?: Accepted;
  values?: Values;
  /** The values of the version before, if they differ. */
  fromValues?: Values;
  overlays?: InputFile[];
  namespace?: string;
}
/** An object of Kubernetes. */
export interface ObjectName { apiVersion: string; kind: string; namespace?: string; name: string }
/** A rule of a role, and what needs it. */
export interface PermissionRule {
  scope: 'cluster' | { namespace: string };
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
  verbs: string[];
  neededBy: string[];
  notes?: string[];
}
/** What `haulout upgrade -o json` prints. */
export interface Upgrade {
  refName: string;
  from: string;
  to: string;
  objects: {
    added: ObjectName[];
    removed: ObjectName[];
    changed: {
      object: ObjectName;
      versions?: string[];
      fields: { path: string; from?: string; to?: string; immutable: boolean }[];
    }[];
  };
  values: { change: 'added' | 'removed' | 'retyped' | 'default'; key: string; type?: string; default?: string; from?: string; to?: string }[];
  notes: string[];
  permissions: { added: PermissionRule[]; removed: PermissionRule[] };
}
/** What changes, as data and in both forms for people. */
export interface UpgradeReport { upgrade: Upgrade; changes: boolean; text: string; markdown: string }
/** What a package is built from: `haulout package build`. */
export interface PackageOptions {
  /** A package that the engine holds, or … */
  source?: string;
  /** … templates. */
  files?: InputFile[];
  refName: string;
  version: string;
  bundleRepo: string;
  images?: string[];
  /** What is new, as text. */
  releaseNotes?: string;
  /** A PackageMetadata. */
  metadata?: InputFile;
  allowUnlocked?: boolean;
}
/** The files of a package, and its bundle's name with its digest. */
export interface BuiltPackage { files: MadeFile[]; bundle: string; warnings: string[] }
/** Files with what messages call them. */
export interface NamedFiles { name: string; files: InputFile[] }
/** A repository and what is added to it: `haulout repository build`. */
export interface RepositoryOptions {
  repository?: InputFile[];
  /** What messages call it. */
  folder?: string;
  add?: NamedFiles[];
  replace?: boolean;
  bundleRepo: string;
  name?: string;
  namespace?: string;
}
/** All files of a repository, its bundle's name with its digest, and the PackageRepository. */
export interface BuiltRepository { files: MadeFile[]; bundle: string; resource: string; warnings: string[] }
/** A repository, and others in the same cluster: `haulout repository verify`. */
export interface VerifyOptions { repository: InputFile[]; folder?: string; against?: NamedFiles[] }
/** What is said of a repository that is in order. */
export interface Verdict { text: string; warnings: string[] }
/** What is released: `haulout release --dry-run`; paths begin at the folder of the file `config`. */
export interface ReleaseOptions { config: string; files: InputFile[]; replace?: boolean }
/** All files of the repository as they become, the PackageRepository, and what would be pushed. */
export interface Release {
  files: MadeFile[];
  resource: string;
  pushes: { name: string; digest: string }[];
  warnings: string[];
}
/** Resources and what is said of their images, without a registry: `haulout lock --offline`. */
export interface LockOptions {
  files: InputFile[];
  /** From images to what they become. */
  imageMap?: Record<string, string>;
  withoutAnnotations?: boolean;
}
/** The resources, what became of each image, and both locks: imgpkg's ImagesLock and kbld's Config. */
export interface Locked { text: string; told: string[]; imagesLock: string; config: string }
/** A bundle: files that become one, or an archive that holds one. */
export interface BundleOptions {
  /** The name that the files are to have, `HOST/NAME:TAG`. */
  bundle?: string;
  files?: InputFile[];
  labels?: Record<string, string>;
  /** Archives that hold the images that the lock of the files names; nothing is fetched. */
  images?: InputFile[];
  /** In place of files, an archive of `haulout bundle` or imgpkg; messages call it by its path. */
  archive?: InputFile;
}
/** `haulout bundle to-tar`, and of an archive `bundle copy --to-tar`: the bundle's name with its digest. */
export interface BundleArchive { bundle: string; archive: Uint8Array }
/** `haulout bundle from-tar` */
export interface BundleFiles { bundle: string; files: MadeFile[] }
/** `haulout bundle inspect`: its digest, and the text that is printed. */
export interface BundleInspection { digest: string; text: string }
"#;
