"""How a pod starts, is watched and stops: checks 12 to 15."""

from __future__ import annotations

from typing import Iterator

from manifests import Manifests, Resource, containers, pod
from registry import rule

PROBES = ("startupProbe", "readinessProbe", "livenessProbe")
HANDLERS = ("grpc", "httpGet", "tcpSocket", "exec")
# service_kit::server::STOP_MAX, and a second for the process to be gone.
STOP_SECONDS_MAX = 10 + 1
# Cluster autoscalers wait about ten minutes for a pod.
GRACE_SECONDS_MAX = 600
# What a preStop of another kind than `sleep` may take: NATS' lame duck time, the longest.
HOOK_SECONDS_MAX = 40
# The names under which service-kit's health service answers (service_kit::server::{LIVENESS, READINESS}).
LIVENESS, READINESS = "liveness", "readiness"


def handler(probe: Resource) -> Resource:
    return {key: probe[key] for key in HANDLERS if key in probe}


@rule("12", "KS pod-probes, pod-probes-identical", "readiness and liveness ask different things", Manifests.lasting)
def probes_differ(_: Manifests, workload: Resource) -> Iterator[str]:
    for container in containers(workload):
        missing = [probe for probe in PROBES if probe not in container]
        if missing:
            yield f"{container['name']}: no {', '.join(missing)}"
        elif handler(container["readinessProbe"]) == handler(container["livenessProbe"]):
            yield f"{container['name']}: readiness and liveness are the same question"


@rule("13", "KEP-2727", "native gRPC probes with names that the services know; startup is waited for", Manifests.services)
def grpc_probes(_: Manifests, workload: Resource) -> Iterator[str]:
    expected = {"startupProbe": LIVENESS, "readinessProbe": READINESS, "livenessProbe": LIVENESS}
    for container in containers(workload):
        ports = [port["containerPort"] for port in container.get("ports", [])]
        for probe, service in expected.items():
            grpc = container.get(probe, {}).get("grpc")
            if grpc is None:
                yield f"{container['name']}: {probe} is not native gRPC"
            elif grpc.get("service") != service:
                yield f"{container['name']}: {probe} asks for {grpc.get('service')!r} instead of {service!r}"
            elif grpc["port"] not in ports:
                yield f"{container['name']}: {probe} asks a port that is not declared"


@rule("14", "preStop sleep", "preStop; the grace period outlasts it and the service's own stop", Manifests.lasting)
def stops_gently(_: Manifests, workload: Resource) -> Iterator[str]:
    grace = pod(workload).get("terminationGracePeriodSeconds", 30)
    for container in containers(workload):
        hook = container.get("lifecycle", {}).get("preStop")
        if not hook:
            yield f"{container['name']}: no preStop"
            continue
        before = hook["sleep"]["seconds"] if "sleep" in hook else HOOK_SECONDS_MAX
        if grace < before + STOP_SECONDS_MAX:
            yield f"{container['name']}: grace of {grace} s is less than {before} s preStop + {STOP_SECONDS_MAX} s stop"


@rule("15", "cluster-autoscaler max-graceful-termination-sec", "the grace period is at most ten minutes", Manifests.workloads)
def grace_is_bounded(_: Manifests, workload: Resource) -> Iterator[str]:
    grace = pod(workload).get("terminationGracePeriodSeconds")
    if grace is None or grace > GRACE_SECONDS_MAX:
        yield f"terminationGracePeriodSeconds is {grace}"
