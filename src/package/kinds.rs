//! Kinds of objects as the API has them: the plural that permissions speak of, and whether they live in namespaces.

use super::object::{Identity, at};
use crate::yaml::Value;

/// A kind as the API has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// `deployments` and the like.
    pub plural: String,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// Whether this is only a guess: the kind is neither Kubernetes' nor defined beside the object.
    pub guessed: bool,
}

/// Kubernetes' own kinds: the group, then kinds whose objects live in namespaces, then those whose do not. Plurals that
/// do not follow from the kind stand after a colon.
const KNOWN: [(&str, &str, &str); 17] = [
    (
        "",
        "ConfigMap Endpoints:endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController \
         ResourceQuota Secret Service ServiceAccount",
        "Namespace Node PersistentVolume",
    ),
    (
        "apps",
        "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
        "",
    ),
    ("batch", "CronJob Job", ""),
    ("autoscaling", "HorizontalPodAutoscaler", ""),
    ("policy", "PodDisruptionBudget", "PodSecurityPolicy"),
    (
        "networking.k8s.io",
        "Ingress NetworkPolicy",
        "IngressClass IPAddress ServiceCIDR",
    ),
    ("extensions", "Ingress", ""),
    ("discovery.k8s.io", "EndpointSlice", ""),
    ("coordination.k8s.io", "Lease", ""),
    ("events.k8s.io", "Event", ""),
    (
        "rbac.authorization.k8s.io",
        "Role RoleBinding",
        "ClusterRole ClusterRoleBinding",
    ),
    ("apiextensions.k8s.io", "", "CustomResourceDefinition"),
    ("apiregistration.k8s.io", "", "APIService"),
    (
        "admissionregistration.k8s.io",
        "",
        "MutatingWebhookConfiguration ValidatingWebhookConfiguration ValidatingAdmissionPolicy \
         ValidatingAdmissionPolicyBinding",
    ),
    (
        "storage.k8s.io",
        "CSIStorageCapacity",
        "CSIDriver CSINode StorageClass VolumeAttachment",
    ),
    ("scheduling.k8s.io", "", "PriorityClass"),
    (
        "flowcontrol.apiserver.k8s.io",
        "",
        "FlowSchema PriorityLevelConfiguration",
    ),
];

/// The kind of an object, by the definitions among the objects that come with it, or by Kubernetes' own.
pub fn kind<'a>(identity: &Identity, beside: impl IntoIterator<Item = &'a Value>) -> Kind {
    let defined = beside
        .into_iter()
        .find_map(|definition| defined(identity, definition));
    defined.or_else(|| known(identity)).unwrap_or_else(|| Kind {
        plural: plural(&identity.kind),
        namespaced: !identity.namespace.is_empty(),
        guessed: true,
    })
}

fn defined(identity: &Identity, definition: &Value) -> Option<Kind> {
    let text = |path: &[&str]| at(definition, path)?.as_str();
    if text(&["kind"])? != "CustomResourceDefinition"
        || text(&["spec", "group"])? != identity.group()
        || text(&["spec", "names", "kind"])? != identity.kind
    {
        return None;
    }
    Some(Kind {
        plural: text(&["spec", "names", "plural"])?.to_string(),
        namespaced: text(&["spec", "scope"])? == "Namespaced",
        guessed: false,
    })
}

fn known(identity: &Identity) -> Option<Kind> {
    let (_, inside, outside) = KNOWN
        .iter()
        .find(|(group, _, _)| *group == identity.group())?;
    let find = |kinds: &str, namespaced: bool| {
        kinds.split_whitespace().find_map(|entry| {
            let (kind, given) = entry.split_once(':').unwrap_or((entry, ""));
            (kind == identity.kind).then(|| Kind {
                plural: match given {
                    "" => plural(kind),
                    given => given.to_string(),
                },
                namespaced,
                guessed: false,
            })
        })
    };
    find(inside, true).or_else(|| find(outside, false))
}

/// The plural as Kubernetes guesses it.
fn plural(kind: &str) -> String {
    let word = kind.to_lowercase();
    match word.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if word.ends_with('s') => format!("{word}es"),
        None => format!("{word}s"),
    }
}
