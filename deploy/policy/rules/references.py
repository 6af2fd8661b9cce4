"""Whatever names something else must name something that is there: most mistakes in manifests are such names."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Iterator

from manifests import NAME_LABEL, Manifests, Resource, containers, environment, labels, name, pod
from registry import rule, whole
from rules.network import addresses, pod_port, unknown_host

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ("crates", "services")


def kube_services(manifests: Manifests) -> list[Resource]:
    return manifests.of("Service")


@rule("r1", "KL dangling-service", "every Service leads to one workload, on ports that it has", kube_services)
def service_leads_somewhere(manifests: Manifests, service: Resource) -> Iterator[str]:
    targets = manifests.behind(service)
    if len(targets) != 1:
        yield f"leads to {len(targets)} workloads instead of one"
    for target in targets:
        declared = [one["containerPort"] for container in containers(target) for one in container.get("ports", [])]
        for port in service["spec"]["ports"]:
            if pod_port(service, target, port["port"]) not in declared:
                yield f"port {port['port']} leads to no port of {name(target)}"


@rule("r2", "KL env-value-from, non-existent-service-account", "volumes, configuration and secret files exist", Manifests.workloads)
def mounts_exist(manifests: Manifests, workload: Resource) -> Iterator[str]:
    claims = {claim["metadata"]["name"] for claim in workload["spec"].get("volumeClaimTemplates", [])}
    volumes = {volume["name"]: volume for volume in pod(workload).get("volumes", [])}
    mounted = {mount["name"] for container in containers(workload) for mount in container.get("volumeMounts", [])}
    for missing in sorted(mounted - claims - volumes.keys()):
        yield f"mounts {missing}, which is no volume"
    for unused in sorted((claims | volumes.keys()) - mounted):
        yield f"volume {unused} is not mounted"
    for volume in volumes.values():
        if "configMap" in volume and manifests.find("ConfigMap", volume["configMap"]["name"]) is None:
            yield f"ConfigMap {volume['configMap']['name']} does not exist"
    files = list(manifests.secret_files(workload))
    for path, secret, key in files:
        if key not in manifests.secrets.get(secret, {}):
            yield f"{path}: create-secrets makes no {key or 'such Secret'} in {secret}"
    paths = {path for path, _, _ in files}
    for container in containers(workload):
        for variable, value in environment(container).items():
            if variable.endswith("_FILE") and value not in paths:
                yield f"{variable}: {value} is not mounted from a Secret"


@rule("r3", "own: addresses", "every address leads to a Service and a port that exist", Manifests.workloads)
def addresses_exist(manifests: Manifests, workload: Resource) -> Iterator[str]:
    for where, address in addresses(manifests, workload):
        reason = unknown_host(manifests, address)
        if reason:
            yield f"{where}: {reason}"


@rule("r4", "own: secrets", "no Secret or key is made that nobody mounts", whole)
def secrets_are_used(manifests: Manifests, _: Manifests) -> Iterator[str]:
    used = {(secret, key) for workload in manifests.workloads() for _, secret, key in manifests.secret_files(workload)}
    for secret, keys in manifests.secrets.items():
        for key in keys:
            if (secret, key) not in used:
                yield f"{key} of {secret}"


@rule("r5", "own: variables", "every STAKEMATE_ variable is one that the programs read", Manifests.workloads)
def variables_are_known(_: Manifests, workload: Resource) -> Iterator[str]:
    for container in containers(workload):
        for variable in environment(container):
            if variable.startswith("STAKEMATE_") and not _is_read(variable, labels(workload).get(NAME_LABEL, "")):
                yield f"{container['name']}: nothing in the sources reads {variable}"


def _is_read(variable: str, service: str) -> bool:
    # As service_kit::config does it: STAKEMATE_NODES and STAKEMATE_FAIRPLAY_NODES are both the field `nodes`.
    field = variable.removeprefix("STAKEMATE_").lower().removeprefix(f"{service}_")
    words = _words()
    # A secret may come from a file instead (service_kit::config); the field itself is named without the ending.
    return field in words or (field.endswith("_url_file") and field.removesuffix("_file") in words)


@lru_cache(maxsize=1)
def _words() -> frozenset[str]:
    """Every identifier in the Rust sources: a field of a configuration is one of them."""
    found: set[str] = set()
    for folder in SOURCES:
        for file in (ROOT / folder).rglob("*.rs"):
            found.update(re.findall(r"[a-z][a-z0-9_]*", file.read_text(encoding="utf-8")))
    return frozenset(found)


@rule("r6", "own: environment", "production is production", Manifests.services)
def environment_is_said(manifests: Manifests, workload: Resource) -> Iterator[str]:
    wanted = "development" if manifests.render == "dev" else "production"
    for container in containers(workload):
        if environment(container).get("STAKEMATE_ENVIRONMENT") != wanted:
            yield f"{container['name']}: STAKEMATE_ENVIRONMENT is not {wanted}"
