"""The resources of one rendering, and the questions that the rules ask about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator

Resource = dict[str, Any]

WORKLOAD_KINDS = ("Deployment", "StatefulSet", "DaemonSet", "Job")
CLUSTER_KINDS = ("Namespace", "PriorityClass")
NAME_LABEL = "app.kubernetes.io/name"
COMPONENT_LABEL = "app.kubernetes.io/component"


def title(resource: Resource) -> str:
    """`Deployment/wallet`."""
    return f"{resource.get('kind')}/{resource.get('metadata', {}).get('name')}"


def name(resource: Resource) -> str:
    return resource["metadata"]["name"]


def template(workload: Resource) -> Resource:
    return workload["spec"]["template"]


def pod(workload: Resource) -> Resource:
    return template(workload)["spec"]


def labels(workload: Resource) -> dict[str, str]:
    """The labels of a workload's pods."""
    return template(workload).get("metadata", {}).get("labels", {})


def containers(workload: Resource) -> list[Resource]:
    spec = pod(workload)
    return spec.get("initContainers", []) + spec["containers"]


def environment(container: Resource) -> dict[str, str]:
    """The variables with a plain value."""
    return {entry["name"]: entry.get("value", "") for entry in container.get("env", [])}


def selects(selector: Resource | None, wanted: dict[str, str]) -> bool:
    """Whether a label selector matches. None matches nothing, an empty one everything."""
    if selector is None:
        return False
    if any(wanted.get(key) != value for key, value in selector.get("matchLabels", {}).items()):
        return False
    return all(_expression_holds(expression, wanted) for expression in selector.get("matchExpressions", []))


def _expression_holds(expression: Resource, wanted: dict[str, str]) -> bool:
    value, values = wanted.get(expression["key"]), expression.get("values", [])
    match expression["operator"]:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    raise ValueError(f"unknown operator {expression['operator']}")


@dataclass
class Manifests:
    """What one overlay renders to."""

    render: str
    resources: list[Resource]
    # What deploy/create-secrets would make: name to keys to values.
    secrets: dict[str, dict[str, str]] = field(default_factory=dict)

    def of(self, *kinds: str) -> list[Resource]:
        return [resource for resource in self.resources if resource.get("kind") in kinds]

    def find(self, kind: str, wanted: str) -> Resource | None:
        return next((resource for resource in self.of(kind) if name(resource) == wanted), None)

    def workloads(self) -> list[Resource]:
        return self.of(*WORKLOAD_KINDS)

    def lasting(self) -> list[Resource]:
        """Workloads that are meant to run for ever."""
        return self.of("Deployment", "StatefulSet", "DaemonSet")

    def services(self) -> list[Resource]:
        """The Deployments of our own six services."""
        return [workload for workload in self.of("Deployment") if labels(workload).get(COMPONENT_LABEL) == "service"]

    def autoscaler(self, workload: Resource) -> Resource | None:
        for scaler in self.of("HorizontalPodAutoscaler"):
            target = scaler["spec"]["scaleTargetRef"]
            if (target["kind"], target["name"]) == (workload["kind"], name(workload)):
                return scaler
        return None

    def replicas(self, workload: Resource) -> tuple[int, int]:
        """The fewest and the most pods."""
        scaler = self.autoscaler(workload)
        if scaler:
            return scaler["spec"].get("minReplicas", 1), scaler["spec"]["maxReplicas"]
        fixed = workload["spec"].get("replicas", 1)
        return fixed, fixed

    def selected_by(self, selector: Resource | None) -> list[Resource]:
        return [workload for workload in self.workloads() if selects(selector, labels(workload))]

    def behind(self, service: Resource) -> list[Resource]:
        """The workloads that a Service leads to."""
        wanted = service["spec"].get("selector")
        return self.selected_by({"matchLabels": wanted}) if wanted else []

    def secret_files(self, workload: Resource) -> Iterator[tuple[str, str, str]]:
        """Path, Secret and key of every file that a pod gets from a Secret; the key is '' where the Secret is unknown."""
        volumes = {volume["name"]: volume["secret"] for volume in pod(workload).get("volumes", []) if "secret" in volume}
        for container in containers(workload):
            for mount in container.get("volumeMounts", []):
                source = volumes.get(mount["name"])
                if source:
                    yield from self._files(mount["mountPath"], source)

    def _files(self, folder: str, source: Resource) -> Iterator[tuple[str, str, str]]:
        secret = source["secretName"]
        if "items" in source:
            for item in source["items"]:
                yield f"{folder}/{item['path']}", secret, item["key"]
        elif secret in self.secrets:
            for key in self.secrets[secret]:
                yield f"{folder}/{key}", secret, key
        else:
            yield folder, secret, ""
