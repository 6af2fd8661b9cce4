"""How many pods there are, where, and how they are replaced: checks 16 to 20, 23 and 26."""

from __future__ import annotations

from typing import Iterator

from manifests import COMPONENT_LABEL, Manifests, Resource, containers, labels, name, pod, selects
from registry import rule

REPLICAS_MIN = 3
ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"


def autoscalers(manifests: Manifests) -> list[Resource]:
    return manifests.of("HorizontalPodAutoscaler")


def brokers(manifests: Manifests) -> list[Resource]:
    return [workload for workload in manifests.lasting() if labels(workload).get(COMPONENT_LABEL) == "broker"]


def grpc_services(manifests: Manifests) -> list[Resource]:
    return [one for one in manifests.of("Service") if any(port.get("name") == "grpc" for port in one["spec"]["ports"])]


@rule("16", "KL minimum-three-replicas, hpa-minimum-three-replicas", "at least three replicas", Manifests.lasting)
def three_replicas(manifests: Manifests, workload: Resource) -> Iterator[str]:
    fewest, _ = manifests.replicas(workload)
    if fewest < REPLICAS_MIN:
        yield f"{fewest} of at least {REPLICAS_MIN} replicas"


@rule("17", "KS deployment-targeted-by-hpa-does-not-have-replicas-configured, KL dangling-horizontalpodautoscaler", "the autoscaler alone says how many", autoscalers)
def autoscaler_alone(manifests: Manifests, scaler: Resource) -> Iterator[str]:
    target = scaler["spec"]["scaleTargetRef"]
    workload = manifests.find(target["kind"], target["name"])
    if workload is None:
        yield f"its target {target['kind']}/{target['name']} does not exist"
    elif "replicas" in workload["spec"]:
        yield f"{target['kind']}/{target['name']} sets replicas too"
    if scaler["spec"]["maxReplicas"] <= scaler["spec"].get("minReplicas", 1):
        yield "maxReplicas leaves no room to scale"


@rule("18", "KL pdb-max-unavailable pdb-min-available pdb-unhealthy-pod-eviction-policy, PO pdbMinAvailableGreaterThanHPAMinReplicas", "one disruption budget that never blocks a drain", Manifests.lasting)
def disruption_budget(manifests: Manifests, workload: Resource) -> Iterator[str]:
    budgets = [one for one in manifests.of("PodDisruptionBudget") if selects(one["spec"]["selector"], labels(workload))]
    if len(budgets) != 1:
        yield f"{len(budgets)} PodDisruptionBudgets instead of one"
    fewest, _ = manifests.replicas(workload)
    for budget in budgets:
        spec = budget["spec"]
        if spec.get("unhealthyPodEvictionPolicy") != "AlwaysAllow":
            yield "unhealthyPodEvictionPolicy is not AlwaysAllow"
        if "minAvailable" in spec and not (isinstance(spec["minAvailable"], int) and spec["minAvailable"] < fewest):
            yield f"minAvailable {spec['minAvailable']} is not below the {fewest} replicas: a drain would wait for ever"
        if "minAvailable" not in spec and spec.get("maxUnavailable") in (None, 0, "0", "0%"):
            yield "maxUnavailable lets no pod go"
        if len(manifests.selected_by(spec["selector"])) != 1:
            yield f"{name(budget)} selects more than this workload"


@rule("19", "KS pod-topology-spread-constraints, deployment-has-host-podantiaffinity", "spread over zones and nodes", Manifests.lasting)
def spread(_: Manifests, workload: Resource) -> Iterator[str]:
    constraints = pod(workload).get("topologySpreadConstraints", [])
    for key in (ZONE, HOST):
        if not any(one["topologyKey"] == key and _is_own(one, workload) for one in constraints):
            yield f"no topologySpreadConstraint of its own pods over {key}"
    affinity = pod(workload).get("affinity", {}).get("podAntiAffinity", {})
    terms = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", []) + [
        one["podAffinityTerm"] for one in affinity.get("preferredDuringSchedulingIgnoredDuringExecution", [])
    ]
    if not any(term["topologyKey"] == HOST and _is_own(term, workload) for term in terms):
        yield "no podAntiAffinity over nodes against its own pods"


def _is_own(term: Resource, workload: Resource) -> bool:
    """Whether the term selects the workload's own pods, and by their name, so no others."""
    selector = term.get("labelSelector") or {}
    named = "app.kubernetes.io/name" in selector.get("matchLabels", {}) or "app.kubernetes.io/name" in term.get("matchLabelKeys", [])
    return selects(selector, labels(workload)) and named


@rule("20", "KL no-rolling-update-strategy", "rolling updates take no pod away before its successor is ready", lambda manifests: manifests.of("Deployment"))
def rolling_update(_: Manifests, workload: Resource) -> Iterator[str]:
    strategy = workload["spec"].get("strategy", {})
    if strategy.get("type") != "RollingUpdate" or strategy.get("rollingUpdate", {}).get("maxUnavailable") != 0:
        yield "the strategy is not RollingUpdate with maxUnavailable 0"


@rule("23", "kube-proxy pins HTTP/2", "a gRPC Service in front of several pods is headless", grpc_services)
def headless(manifests: Manifests, service: Resource) -> Iterator[str]:
    several = any(manifests.replicas(workload)[1] > 1 for workload in manifests.behind(service))
    if several and service["spec"].get("clusterIP") != "None":
        yield "calls of one connection would all go to one pod"


@rule("26", "nats chart: lame duck, split healthz, PVC", "the broker keeps its store, leaves gently, answers three probes", brokers)
def broker(_: Manifests, workload: Resource) -> Iterator[str]:
    if workload["kind"] != "StatefulSet" or not workload["spec"].get("volumeClaimTemplates"):
        yield "no volume of its own"
    for container in containers(workload):
        hook = container.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command", [])
        if not any(argument.startswith("ldm=") for argument in hook):
            yield "preStop is not the lame duck mode"
        paths = {container.get(probe, {}).get("httpGet", {}).get("path") for probe in ("startupProbe", "readinessProbe", "livenessProbe")}
        if len(paths) != 3 or not all(path and path.startswith("/healthz") for path in paths):
            yield "the three probes do not ask /healthz for three different things"


@rule("26b", "nats chart: R3, DoNotSchedule", "three brokers on three nodes", brokers)
def three_brokers(manifests: Manifests, workload: Resource) -> Iterator[str]:
    spread_hard = any(one["whenUnsatisfiable"] == "DoNotSchedule" for one in pod(workload).get("topologySpreadConstraints", []))
    if manifests.replicas(workload)[0] < REPLICAS_MIN or not spread_hard:
        yield "not three, or not forced apart"
