"""What a pod may do: checks 1 to 11 and 29."""

from __future__ import annotations

import re
from typing import Iterator

from manifests import CLUSTER_KINDS, COMPONENT_LABEL, Manifests, Resource, containers, environment, labels, name, pod
from registry import rule, whole

ID_MIN = 10_001
DIGEST = re.compile(r"@sha256:[0-9a-f]{64}$")
# Variables that hold a secret by their name; one that ends in _FILE names a file instead.
SECRET_NAME = re.compile(r"PASSWORD|PASSWD|SECRET|TOKEN|CREDENTIAL|PRIVATE|_KEY|DATABASE_URL|NATS_URL|REDIS_URL")
SECRET_VALUE = re.compile(r"://[^/@\s]+:[^/@\s]+@|-----BEGIN")
RESOURCES = ("cpu", "memory", "ephemeral-storage")


@rule("1", "KL use-namespace, CKV_K8S_21", "the namespace enforces the restricted pod security standard", whole)
def restricted_namespace(manifests: Manifests, _: Manifests) -> Iterator[str]:
    namespaces = manifests.of("Namespace")
    if len(namespaces) != 1:
        yield f"{len(namespaces)} namespaces instead of one"
        return
    own = namespaces[0]["metadata"]
    if own.get("labels", {}).get("pod-security.kubernetes.io/enforce") != "restricted":
        yield "the label pod-security.kubernetes.io/enforce is not restricted"
    for resource in manifests.resources:
        if resource["kind"] not in CLUSTER_KINDS and resource["metadata"].get("namespace") != own["name"]:
            yield f"{resource['kind']}/{name(resource)} is not in the namespace {own['name']}"


@rule("2", "KS container-security-context-user-group-id, CKV_K8S_40", "no root; user and group above 10000", Manifests.workloads)
def user_and_group(_: Manifests, workload: Resource) -> Iterator[str]:
    shared = pod(workload).get("securityContext", {})
    for container in containers(workload):
        own = {**shared, **container.get("securityContext", {})}
        if own.get("runAsNonRoot") is not True:
            yield f"{container['name']}: runAsNonRoot is not true"
        for key in ("runAsUser", "runAsGroup"):
            if own.get(key, 0) < ID_MIN:
                yield f"{container['name']}: {key} is not above 10000"


@rule("3", "KL no-read-only-root-fs, CKV_K8S_22", "root file system read-only, every emptyDir sized", Manifests.workloads)
def read_only_root(_: Manifests, workload: Resource) -> Iterator[str]:
    for container in containers(workload):
        if container.get("securityContext", {}).get("readOnlyRootFilesystem") is not True:
            yield f"{container['name']}: readOnlyRootFilesystem is not true"
    for volume in pod(workload).get("volumes", []):
        if "emptyDir" in volume and not (volume["emptyDir"] or {}).get("sizeLimit"):
            yield f"emptyDir {volume['name']} has no sizeLimit"


@rule("4", "CKV_K8S_37, CKV_K8S_20, KSec CapDropAll", "all capabilities dropped, no escalation", Manifests.workloads)
def no_capabilities(_: Manifests, workload: Resource) -> Iterator[str]:
    for container in containers(workload):
        own = container.get("securityContext", {})
        capabilities = own.get("capabilities", {})
        if capabilities.get("drop") != ["ALL"] or capabilities.get("add"):
            yield f"{container['name']}: capabilities are not exactly drop ALL"
        if own.get("allowPrivilegeEscalation") is not False or own.get("privileged"):
            yield f"{container['name']}: may gain privileges"


@rule("5", "CKV_K8S_31, KS container-seccomp-profile", "seccomp RuntimeDefault for the pod", Manifests.workloads)
def seccomp(_: Manifests, workload: Resource) -> Iterator[str]:
    if pod(workload).get("securityContext", {}).get("seccompProfile") != {"type": "RuntimeDefault"}:
        yield "the pod's seccompProfile is not RuntimeDefault"
    for container in containers(workload):
        if "seccompProfile" in container.get("securityContext", {}):
            yield f"{container['name']}: has a seccompProfile of its own"


@rule("6", "KSec HostUsers, KL host-network host-pid host-ipc", "no namespace shared with the node", Manifests.workloads)
def host_namespaces(_: Manifests, workload: Resource) -> Iterator[str]:
    if pod(workload).get("hostUsers") is not False:
        yield "hostUsers is not false"
    for key in ("hostNetwork", "hostPID", "hostIPC"):
        if pod(workload).get(key):
            yield f"{key} is on"


@rule("7", "CKV_K8S_38, CKV_K8S_41, PO automountServiceAccountToken", "a ServiceAccount of its own, without a token", Manifests.workloads)
def service_account(manifests: Manifests, workload: Resource) -> Iterator[str]:
    spec = pod(workload)
    account = spec.get("serviceAccountName", "default")
    if spec.get("automountServiceAccountToken") is not False:
        yield "the pod's automountServiceAccountToken is not false"
    found = manifests.find("ServiceAccount", account)
    if account == "default" or found is None:
        yield f"ServiceAccount {account} is not one of ours"
    elif found.get("automountServiceAccountToken") is not False:
        yield f"ServiceAccount {account} hands out a token"
    users = [name(other) for other in manifests.workloads() if pod(other).get("serviceAccountName") == account]
    if len(users) > 1 and workload["kind"] != "Job":
        yield f"ServiceAccount {account} is shared by {', '.join(users)}"


@rule("8", "KL read-secret-from-env-var, CKV_K8S_35", "secrets as files, none in a variable", Manifests.workloads)
def secrets_as_files(_: Manifests, workload: Resource) -> Iterator[str]:
    for container in containers(workload):
        for entry in container.get("env", []):
            variable, value = entry["name"], entry.get("value", "")
            if "secretKeyRef" in entry.get("valueFrom", {}):
                yield f"{container['name']}: {variable} is read from a Secret"
            elif SECRET_VALUE.search(value) or (SECRET_NAME.search(variable) and not variable.endswith("_FILE")):
                yield f"{container['name']}: {variable} looks like a secret"
        if any("secretRef" in source for source in container.get("envFrom", [])):
            yield f"{container['name']}: envFrom a Secret"


@rule("8a", "secrets outside of version control", "no Secret in the manifests", whole)
def no_secret_in_manifests(manifests: Manifests, _: Manifests) -> Iterator[str]:
    for secret in manifests.of("Secret"):
        yield f"Secret/{name(secret)}"


@rule("9", "CKV_K8S_43", "images by digest", Manifests.workloads)
def image_by_digest(_: Manifests, workload: Resource) -> Iterator[str]:
    for container in containers(workload):
        if not DIGEST.search(container["image"]):
            yield f"{container['name']}: {container['image']} is not pinned by a digest"


@rule("10", "KS container-image-pull-policy, CKV_K8S_15", "imagePullPolicy Always", Manifests.workloads)
def pull_policy(_: Manifests, workload: Resource) -> Iterator[str]:
    for container in containers(workload):
        if container.get("imagePullPolicy") != "Always":
            yield f"{container['name']}: imagePullPolicy is not Always"


@rule("11", "KS container-resources, container-ephemeral-storage-request-and-limit", "requests and limits; data servers guaranteed", Manifests.workloads)
def resources(_: Manifests, workload: Resource) -> Iterator[str]:
    for container in containers(workload):
        own = container.get("resources", {})
        requests, limits = own.get("requests", {}), own.get("limits", {})
        for key in RESOURCES:
            if key not in requests or key not in limits:
                yield f"{container['name']}: no request or no limit of {key}"
        # Memory that was not asked for is taken back by killing.
        if requests.get("memory") != limits.get("memory"):
            yield f"{container['name']}: the memory's request is not its limit"
        if labels(workload).get(COMPONENT_LABEL) in ("database", "broker") and requests != limits:
            yield f"{container['name']}: a data server's requests are not its limits"


@rule("29", "KL priority-class-name", "a priority class of ours", Manifests.workloads)
def priority_class(manifests: Manifests, workload: Resource) -> Iterator[str]:
    wanted = pod(workload).get("priorityClassName")
    if not wanted or manifests.find("PriorityClass", wanted) is None:
        yield f"priority class {wanted} is not one of ours"


@rule("29a", "KL wildcard-in-rules, access-to-secrets", "no roles: nothing here talks to the API server", whole)
def no_roles(manifests: Manifests, _: Manifests) -> Iterator[str]:
    for role in manifests.of("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"):
        yield f"{role['kind']}/{name(role)}"


def plain_variables(workload: Resource) -> dict[str, str]:
    """All variables of a pod's containers."""
    return {key: value for container in containers(workload) for key, value in environment(container).items()}
