"""The self-test: mistakes seeded into the rendered production manifests, each of which its rule must notice.

A check that cannot fail is worth nothing, so a rule without a mistake here is a failure of the self-test as well.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Callable

from manifests import COMPONENT_LABEL, Manifests, Resource, pod
from registry import RULES, Rule, run
from rendering import invalid

SCHEMA = "0"
Mistake = Callable[[Manifests], None]


@dataclass(frozen=True)
class Result:
    rule: str
    mistake: str
    noticed: bool


def wallet(manifests: Manifests) -> Resource:
    return _found(manifests, "Deployment", "wallet")


def wallet_pod(manifests: Manifests) -> Resource:
    return pod(wallet(manifests))


def wallet_container(manifests: Manifests) -> Resource:
    return wallet_pod(manifests)["containers"][0]


def nats_container(manifests: Manifests) -> Resource:
    return pod(_found(manifests, "StatefulSet", "nats"))["containers"][0]


def _found(manifests: Manifests, kind: str, called: str) -> Resource:
    found = manifests.find(kind, called)
    if found is None:
        raise LookupError(f"{kind}/{called} is needed by the self-test")
    return found


def _set(target: Callable[[Manifests], Resource], path: str, value: Any) -> Mistake:
    """Puts a value at a path of the target, as `spec.replicas`."""

    def seed(manifests: Manifests) -> None:
        *folders, last = path.split(".")
        place = target(manifests)
        for folder in folders:
            place = place.setdefault(folder, {}) if isinstance(place, dict) else place[int(folder)]
        place[last if isinstance(place, dict) else int(last)] = value

    return seed


def _drop(target: Callable[[Manifests], Resource], path: str) -> Mistake:
    """Takes the value at a path of the target away."""

    def seed(manifests: Manifests) -> None:
        *folders, last = path.split(".")
        place = target(manifests)
        for folder in folders:
            place = place[folder] if isinstance(place, dict) else place[int(folder)]
        del place[last if isinstance(place, dict) else int(last)]

    return seed


def _remove(kind: str, called: str) -> Mistake:
    def seed(manifests: Manifests) -> None:
        manifests.resources.remove(_found(manifests, kind, called))

    return seed


def _resource(kind: str, called: str) -> Callable[[Manifests], Resource]:
    return lambda manifests: _found(manifests, kind, called)


def _variable(called: str, value: str) -> Mistake:
    return lambda manifests: wallet_container(manifests)["env"].append({"name": called, "value": value})


def _add(resource: Resource) -> Mistake:
    return lambda manifests: manifests.resources.append(resource)


def _forgotten_secret(manifests: Manifests) -> None:
    manifests.secrets["postgres-secrets"]["practice"] = "x"
    manifests.secrets["practice-secrets"] = {"database-url": "x"}


def _missing_secret(manifests: Manifests) -> None:
    del manifests.secrets["wallet-secrets"]["nats-url"]


def _other_database(manifests: Manifests) -> None:
    manifests.secrets["wallet-secrets"]["database-url"] = "postgres://wallet:x@postgresql:5432/wallet"


def _too_wide_service(manifests: Manifests) -> None:
    del _found(manifests, "Service", "wallet")["spec"]["selector"][COMPONENT_LABEL]


def _no_broker_configuration(manifests: Manifests) -> None:
    manifests.resources = [one for one in manifests.resources if not (one["kind"] == "ConfigMap" and "nats" in one["metadata"]["name"])]


def _wallet_calls_rating(manifests: Manifests) -> None:
    wallet_container(manifests)["env"].append({"name": "STAKEMATE_UPSTREAM_RATING", "value": "http://rating:50051"})


SECRET_REFERENCE = {"name": "DATABASE", "valueFrom": {"secretKeyRef": {"name": "wallet-secrets", "key": "database-url"}}}
OPEN_POLICY = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "NetworkPolicy",
    "metadata": {"name": "open", "namespace": "stakemate"},
    "spec": {"podSelector": {}, "policyTypes": ["Egress"], "egress": [{}]},
}
ROLE = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "r", "namespace": "stakemate"}, "rules": []}

MISTAKES: tuple[tuple[str, str, Mistake], ...] = (
    (SCHEMA, "a misspelt field", _set(wallet, "spec.replicsa", 3)),
    (SCHEMA, "a misspelt field deep inside", _set(wallet_container, "readinessProbe.periodSecond", 3)),
    (SCHEMA, "a value of a wrong type", _set(wallet_pod, "terminationGracePeriodSeconds", "35")),
    (SCHEMA, "an unknown kind", _set(wallet, "kind", "Deploymnet")),
    (SCHEMA, "an unknown version", _set(wallet, "apiVersion", "apps/v1beta7")),
    ("1", "a privileged namespace", _set(_resource("Namespace", "stakemate"), "metadata.labels", {})),
    ("1", "a resource in another namespace", _set(wallet, "metadata.namespace", "default")),
    ("2", "a low user id", _set(wallet_pod, "securityContext.runAsUser", 1000)),
    ("2", "a container that goes back to root's group", _set(wallet_container, "securityContext.runAsGroup", 0)),
    ("2", "root allowed", _drop(wallet_pod, "securityContext.runAsNonRoot")),
    ("3", "a writable root file system", _set(wallet_container, "securityContext.readOnlyRootFilesystem", False)),
    ("3", "an emptyDir without a size", _set(wallet_pod, "volumes.0.emptyDir", {})),
    ("4", "a capability", _set(wallet_container, "securityContext.capabilities.add", ["NET_ADMIN"])),
    ("4", "escalation", _drop(wallet_container, "securityContext.allowPrivilegeEscalation")),
    ("5", "no seccomp", _drop(wallet_pod, "securityContext.seccompProfile")),
    ("6", "the node's users", _drop(wallet_pod, "hostUsers")),
    ("6", "the node's network", _set(wallet_pod, "hostNetwork", True)),
    ("7", "the default account", _drop(wallet_pod, "serviceAccountName")),
    ("7", "a token in the pod", _set(wallet_pod, "automountServiceAccountToken", True)),
    ("7", "another service's account", _set(wallet_pod, "serviceAccountName", "rating")),
    ("8", "a variable from a Secret", lambda manifests: wallet_container(manifests)["env"].append(SECRET_REFERENCE)),
    ("8", "a password in a variable", _variable("STAKEMATE_OTLP_ENDPOINT", "http://user:hunter2@collector:4317")),
    ("8a", "a Secret in the manifests", _add({"kind": "Secret", "metadata": {"name": "s", "namespace": "stakemate"}})),
    ("9", "an image by tag", _set(wallet_container, "image", "stakemate/services:latest")),
    ("10", "an image that is not pulled again", _set(wallet_container, "imagePullPolicy", "IfNotPresent")),
    ("11", "no limit of memory", _drop(wallet_container, "resources.limits.memory")),
    ("11", "no request of disk", _drop(wallet_container, "resources.requests.ephemeral-storage")),
    ("11", "a broker that may burst", _set(nats_container, "resources.limits.cpu", "4")),
    ("12", "one question for both probes", lambda m: wallet_container(m).update(livenessProbe=wallet_container(m)["readinessProbe"])),
    ("12", "no startup probe", _drop(wallet_container, "startupProbe")),
    ("13", "a name that no service knows", _set(wallet_container, "readinessProbe.grpc.service", "redy")),
    ("13", "a port that is not served", _set(wallet_container, "livenessProbe.grpc.port", 50052)),
    ("14", "no preStop", _drop(wallet_container, "lifecycle")),
    ("14", "a grace period that cuts the stop off", _set(wallet_pod, "terminationGracePeriodSeconds", 15)),
    ("15", "an hour of grace", _set(wallet_pod, "terminationGracePeriodSeconds", 3600)),
    ("16", "two replicas", _set(_resource("HorizontalPodAutoscaler", "wallet"), "spec.minReplicas", 2)),
    ("17", "replicas beside an autoscaler", _set(wallet, "spec.replicas", 3)),
    ("17", "an autoscaler of nothing", _set(_resource("HorizontalPodAutoscaler", "wallet"), "spec.scaleTargetRef.name", "walet")),
    ("18", "no disruption budget", _remove("PodDisruptionBudget", "wallet")),
    ("18", "a budget that blocks drains", _set(_resource("PodDisruptionBudget", "wallet"), "spec.maxUnavailable", 0)),
    ("18", "a budget of all replicas", _set(_resource("PodDisruptionBudget", "wallet"), "spec.minAvailable", 3)),
    ("19", "no spread over zones", _drop(wallet_pod, "topologySpreadConstraints.0")),
    ("19", "no anti-affinity", _drop(wallet_pod, "affinity")),
    ("20", "a rollout that takes pods away first", _set(wallet, "spec.strategy.rollingUpdate.maxUnavailable", 1)),
    ("22", "no default deny", _remove("NetworkPolicy", "default-deny")),
    ("22", "no DNS", _remove("NetworkPolicy", "allow-dns")),
    ("22a", "an allowance for everything", _add(OPEN_POLICY)),
    ("22a", "a policy for nobody", _set(_resource("NetworkPolicy", "redis"), "spec.podSelector.matchLabels", {"app.kubernetes.io/name": "rdis"})),
    ("22b", "a connection that is not allowed", _remove("NetworkPolicy", "nats")),
    ("22b", "a service that calls another", _wallet_calls_rating),
    ("22b", "a policy wider than needed", _set(_resource("NetworkPolicy", "redis"), "spec.ingress.0.from.0.podSelector", {})),
    ("23", "a virtual address before several pods", _drop(_resource("Service", "wallet"), "spec.clusterIP")),
    ("25", "a Job that stays", _drop(_resource("Job", "migrate-wallet"), "spec.ttlSecondsAfterFinished")),
    ("25", "a Job without an end", _drop(_resource("Job", "migrate-wallet"), "spec.activeDeadlineSeconds")),
    ("25a", "no migration", _remove("Job", "migrate-wallet")),
    ("25a", "another service's migration", lambda m: pod(_found(m, "Job", "migrate-wallet"))["containers"][0].update(command=["x"])),
    ("26", "a broker that is cut off", _set(nats_container, "lifecycle.preStop", {"sleep": {"seconds": 1}})),
    ("26", "a broker that forgets", _drop(_resource("StatefulSet", "nats"), "spec.volumeClaimTemplates")),
    ("29", "no priority", _drop(wallet_pod, "priorityClassName")),
    ("29a", "a role", _add(ROLE)),
    ("r1", "a Service that leads nowhere", _set(_resource("Service", "wallet"), "spec.selector", {"app.kubernetes.io/name": "walet"})),
    ("r1", "a Service that leads to a migration as well", _too_wide_service),
    ("r1", "a port that is not there", _set(_resource("Service", "wallet"), "spec.ports.0.targetPort", "gprc")),
    ("r2", "a ConfigMap that is not there", _no_broker_configuration),
    ("r2", "a secret that is not made", _missing_secret),
    ("r2", "a file that is not mounted", _variable("STAKEMATE_REDIS_URL_FILE", "/etc/stakemate/secrets/redis-url")),
    ("r3", "an address that leads nowhere", _other_database),
    ("r4", "a secret that nobody mounts", _forgotten_secret),
    ("r5", "a misspelt variable", _variable("STAKEMATE_DATABSE_CONNECTIONS", "8")),
    ("r6", "development in production", lambda m: wallet_container(m)["env"][0].update(value="development")),
    ("f1", "more pods than connections", _set(_resource("HorizontalPodAutoscaler", "wallet"), "spec.maxReplicas", 40)),
)
# Rules whose every subject is an exception today: there is nothing right that could be made wrong.
WHOLLY_EXEMPT = frozenset({"25b", "26b"})


def run_all(production: Manifests) -> list[Result]:
    rules = {rule.number: rule for rule in RULES}
    return [Result(number, mistake, _noticed(rules.get(number), seed, production)) for number, mistake, seed in MISTAKES]


def untested() -> list[str]:
    tested = {number for number, _, _ in MISTAKES} | WHOLLY_EXEMPT
    return [f"rule {rule.number} has no seeded mistake" for rule in RULES if rule.number not in tested]


def _noticed(rule: Rule | None, seed: Mistake, production: Manifests) -> bool:
    broken = copy.deepcopy(production)
    seed(broken)
    return bool(_messages(rule, broken) - _messages(rule, production))


def _messages(rule: Rule | None, manifests: Manifests) -> set[str]:
    """What a rule, or the schema where there is none, has against the manifests: they may be wrong even without our mistake."""
    if rule is None:
        return {problem for problem in map(invalid, manifests.resources) if problem}
    return {str(finding) for finding in run(rule, manifests).findings}
