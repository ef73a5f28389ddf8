//! How a package is fetched, rendered and deployed: `spec.template` of a Package, which is the `spec` of an App.

use super::model::{VersionSelection, records};
use crate::yaml::Value;
use std::collections::BTreeMap;

records! {
    /// A template of an App.
    AppTemplate {
        /// The App's `spec`.
        spec: AppSpec,
    }

    /// What is fetched, then rendered, then deployed.
    AppSpec {
        /// The service account that deploys it.
        service_account_name: String,
        /// Another cluster, in place of a service account.
        cluster: Option<Cluster>,
        /// What is fetched.
        fetch: Vec<Fetch>,
        /// The steps of rendering, each on what the one before gave.
        template: Vec<Template>,
        /// How it is deployed: exactly one.
        deploy: Vec<Deploy>,
        /// Whether nothing is to be done for now.
        paused: bool,
        /// Whether what is under way is to stop.
        canceled: bool,
        /// How often to look again: `30s`.
        sync_period: String,
        /// Whether its resources stay when it goes.
        noop_delete: bool,
        /// The namespace of resources that name none.
        default_namespace: String,
    }

    /// Another cluster.
    Cluster {
        /// The namespace to use there.
        namespace: String,
        /// The Secret with the way to it.
        kubeconfig_secret_ref: Option<KubeconfigSecretRef>,
    }

    /// A Secret with a kubeconfig.
    KubeconfigSecretRef {
        /// Its name.
        name: String,
        /// Its key; `value` if absent.
        key: String,
    }

    /// One way to fetch; exactly one of them, with or without a path.
    Fetch {
        /// Files that stand here.
        inline: Option<Inline>,
        /// A plain image.
        image: Option<ImageFetch>,
        /// A file from the web.
        http: Option<HttpFetch>,
        /// A git repository.
        git: Option<GitFetch>,
        /// A Helm chart.
        helm_chart: Option<HelmChartFetch>,
        /// A bundle.
        imgpkg_bundle: Option<ImgpkgBundleFetch>,
        /// Where it is put; its number if absent.
        path: String,
    }

    /// The name of a resource in the same namespace.
    LocalRef {
        /// The name.
        name: String,
    }

    /// Which tag is taken.
    TagSelection {
        /// By version.
        semver: Option<VersionSelection>,
    }

    /// Files.
    Inline {
        /// Texts by path.
        paths: BTreeMap<String, String>,
        /// Files of Secrets and ConfigMaps.
        paths_from: Vec<InlineSource>,
    }

    /// Where files come from; exactly one of them.
    InlineSource {
        /// A Secret.
        secret_ref: Option<InlineRef>,
        /// A ConfigMap.
        config_map_ref: Option<InlineRef>,
    }

    /// A resource whose keys are files.
    InlineRef {
        /// Its name.
        name: String,
        /// The folder that the files are put into.
        directory_path: String,
    }

    /// A plain image.
    ImageFetch {
        /// Its reference.
        url: String,
        /// Its tag, by version.
        tag_selection: Option<TagSelection>,
        /// The way into the registry.
        secret_ref: Option<LocalRef>,
        /// The folder of it that counts.
        sub_path: String,
    }

    /// A file from the web.
    HttpFetch {
        /// Its address.
        url: String,
        /// Its digest.
        sha256: String,
        /// The way in.
        secret_ref: Option<LocalRef>,
        /// The folder of it that counts.
        sub_path: String,
    }

    /// A git repository.
    GitFetch {
        /// Its address.
        url: String,
        /// Branch, tag or commit.
        r#ref: String,
        /// Its tag, by version.
        ref_selection: Option<TagSelection>,
        /// The way in.
        secret_ref: Option<LocalRef>,
        /// The folder of it that counts.
        sub_path: String,
        /// Whether large files stay away.
        lfs_skip_smudge: bool,
        /// Whether the way in is sent unasked.
        #[serde(rename = "forceHTTPBasicAuth")]
        force_http_basic_auth: bool,
        /// How many commits.
        depth: i64,
    }

    /// A Helm chart.
    HelmChartFetch {
        /// Its name.
        name: String,
        /// Its version.
        version: String,
        /// Where it is.
        repository: Option<HelmRepository>,
    }

    /// Where Helm charts are.
    HelmRepository {
        /// Its address.
        url: String,
        /// The way in.
        secret_ref: Option<LocalRef>,
    }

    /// A bundle.
    ImgpkgBundleFetch {
        /// Its reference: `HOST/NAME@sha256:…`.
        image: String,
        /// Its tag, by version.
        tag_selection: Option<TagSelection>,
        /// The way into the registry.
        secret_ref: Option<LocalRef>,
    }

    /// One step of rendering; exactly one of them.
    Template {
        /// By ytt.
        ytt: Option<YttTemplate>,
        /// Images by digest.
        kbld: Option<KbldTemplate>,
        /// By Helm.
        helm_template: Option<HelmTemplate>,
        /// Decrypted.
        sops: Option<SopsTemplate>,
        /// By CUE.
        cue: Option<CueTemplate>,
        /// Declared, and not there.
        kustomize: Option<Value>,
        /// Declared, and not there.
        jsonnet: Option<Value>,
    }

    /// Rendering by ytt.
    YttTemplate {
        /// As the flag `--ignore-unknown-comments`.
        ignore_unknown_comments: bool,
        /// Accepted, and ignored.
        strict: bool,
        /// Further files, such as overlays.
        inline: Option<Inline>,
        /// The files; all that was fetched if absent.
        paths: Vec<String>,
        /// As the flag `--file-mark`.
        file_marks: Vec<String>,
        /// Values.
        values_from: Vec<ValuesSource>,
    }

    /// Where values come from; exactly one of them.
    ValuesSource {
        /// A Secret.
        secret_ref: Option<LocalRef>,
        /// A ConfigMap.
        config_map_ref: Option<LocalRef>,
        /// A file among those fetched.
        path: String,
        /// What is known of the App and the cluster.
        #[serde(rename = "downwardAPI")]
        downward_api: Option<Value>,
    }

    /// Images by digest.
    KbldTemplate {
        /// The files; `-` is what the step before gave.
        paths: Vec<String>,
    }

    /// Rendering by Helm.
    HelmTemplate {
        /// The release's name.
        name: String,
        /// The release's namespace.
        namespace: String,
        /// The chart.
        path: String,
        /// Values.
        values_from: Vec<ValuesSource>,
        /// The version to render for.
        kubernetes_version: Option<Value>,
        /// The APIs to render for.
        #[serde(rename = "kubernetesAPIs")]
        kubernetes_apis: Option<Value>,
    }

    /// Decryption.
    SopsTemplate {
        /// By PGP.
        pgp: Option<Value>,
        /// By age.
        age: Option<Value>,
        /// The files.
        paths: Vec<String>,
    }

    /// Rendering by CUE.
    CueTemplate {
        /// The files.
        paths: Vec<String>,
        /// Values.
        values_from: Vec<ValuesSource>,
        /// Where values go.
        input_expression: String,
        /// What is taken.
        output_expression: String,
    }

    /// How it is deployed.
    Deploy {
        /// By kapp.
        kapp: Option<KappDeploy>,
    }

    /// Deployment by kapp.
    KappDeploy {
        /// The namespace that all goes into.
        into_ns: String,
        /// Namespaces that become others: `old=new`.
        map_ns: Vec<String>,
        /// Flags.
        raw_options: Vec<String>,
        /// Flags for looking.
        inspect: Option<KappOptions>,
        /// Flags for deleting.
        delete: Option<KappOptions>,
    }

    /// Flags of kapp.
    KappOptions {
        /// The flags.
        raw_options: Vec<String>,
    }
}
