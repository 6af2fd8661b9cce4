"""Who may talk to whom: check 22. The edges that are needed are read from the addresses that the pods are given."""

from __future__ import annotations

from typing import Iterator
from urllib.parse import urlsplit

from manifests import Manifests, Resource, labels, name, selects, title
from registry import rule, whole
from rules.pods import plain_variables

Edge = tuple[str, str, int]
DNS_PORT = 53


def policies(manifests: Manifests) -> list[Resource]:
    return manifests.of("NetworkPolicy")


@rule("22", "CKV2_K8S_6, KL non-isolated-pod", "everything is denied first, both ways; names can be looked up", Manifests.workloads)
def default_deny(manifests: Manifests, workload: Resource) -> Iterator[str]:
    chosen = [one for one in policies(manifests) if selects(one["spec"]["podSelector"], labels(workload))]
    for direction, rules in (("Ingress", "ingress"), ("Egress", "egress")):
        denies = [one for one in chosen if direction in one["spec"]["policyTypes"] and not one["spec"].get(rules)]
        if not denies:
            yield f"nothing denies {direction} by default"
    ports = {
        (port.get("protocol"), port.get("port"))
        for one in chosen
        for allowed in one["spec"].get("egress", [])
        if any(_is_dns(peer) for peer in allowed.get("to", []))
        for port in allowed.get("ports", [])
    }
    if ports != {("UDP", DNS_PORT), ("TCP", DNS_PORT)}:
        yield "DNS is not allowed over UDP and TCP"


@rule("22a", "KL dangling-networkpolicy, dangling-networkpolicypeer-podselector", "policies select something and open nothing wholesale", policies)
def policy_is_exact(manifests: Manifests, policy: Resource) -> Iterator[str]:
    spec = policy["spec"]
    if not manifests.selected_by(spec["podSelector"]):
        yield "selects no pod"
    for allowed in spec.get("ingress", []) + spec.get("egress", []):
        peers = allowed.get("from", []) + allowed.get("to", [])
        if not peers or not allowed.get("ports"):
            yield "an allowance without peers or without ports is open to all"
        for peer in peers:
            if "ipBlock" in peer:
                yield f"opens the block {peer['ipBlock'].get('cidr')}"
            elif "namespaceSelector" not in peer and not manifests.selected_by(peer.get("podSelector")):
                yield "a peer selects no pod"


@rule("22b", "per-edge allows", "exactly the connections that the pods are configured for", whole)
def edges(manifests: Manifests, _: Manifests) -> Iterator[str]:
    needed = set(needed_edges(manifests))
    sending, receiving = set(_allowed(manifests, "egress")), set(_allowed(manifests, "ingress"))
    for source, target, port in sorted(needed):
        if (source, target, port) not in sending:
            yield f"{source} may not open a connection to {target}:{port}"
        if (source, target, port) not in receiving:
            yield f"{target} does not accept {source} on {port}"
    for source, target, port in sorted((sending | receiving) - needed):
        yield f"{source} → {target}:{port} is allowed and nothing needs it"


def addresses(manifests: Manifests, workload: Resource) -> Iterator[tuple[str, str]]:
    """Every address that a pod is given, with where it stands: in a variable or in a mounted secret."""
    for variable, value in plain_variables(workload).items():
        if "://" in value:
            yield variable, value
    for path, secret, key in manifests.secret_files(workload):
        value = manifests.secrets.get(secret, {}).get(key, "")
        # A data server's own list of passwords is no address.
        if "://" in value and not value.startswith("-----"):
            yield path, value


def needed_edges(manifests: Manifests) -> Iterator[Edge]:
    """From workload, to workload, on which port of its pods."""
    for workload in manifests.workloads():
        for _, address in addresses(manifests, workload):
            url = urlsplit(address)
            service = manifests.find("Service", url.hostname or "")
            if service is None or url.port is None:
                continue  # The rule about references says so.
            for target in manifests.behind(service):
                yield title(workload), title(target), pod_port(service, target, url.port)


def pod_port(service: Resource, workload: Resource, port: int) -> int:
    """The port of the pod behind a port of the Service."""
    wanted = next((one for one in service["spec"]["ports"] if one["port"] == port), {})
    target = wanted.get("targetPort", port)
    for container in workload["spec"]["template"]["spec"]["containers"]:
        for one in container.get("ports", []):
            if one.get("name") == target:
                return one["containerPort"]
    return target if isinstance(target, int) else 0


def _is_dns(peer: Resource) -> bool:
    return (
        peer.get("namespaceSelector") == {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}
        and peer.get("podSelector") == {"matchLabels": {"k8s-app": "kube-dns"}}
    )


def _allowed(manifests: Manifests, direction: str) -> Iterator[Edge]:
    """What the policies allow between our own pods, seen from one side."""
    peers_key = "to" if direction == "egress" else "from"
    for policy in policies(manifests):
        for own in manifests.selected_by(policy["spec"]["podSelector"]):
            for allowed in policy["spec"].get(direction, []):
                for peer in allowed.get(peers_key, []):
                    if "podSelector" not in peer or "namespaceSelector" in peer:
                        continue
                    for other in manifests.selected_by(peer["podSelector"]):
                        for port in allowed.get("ports", []):
                            ends = (own, other) if direction == "egress" else (other, own)
                            yield title(ends[0]), title(ends[1]), port["port"]


def unknown_host(manifests: Manifests, address: str) -> str | None:
    """Why an address leads nowhere, if so."""
    url = urlsplit(address)
    service = manifests.find("Service", url.hostname or "")
    if service is None:
        return f"{url.hostname} is no Service of ours"
    if url.port not in [port["port"] for port in service["spec"]["ports"]]:
        return f"Service {name(service)} has no port {url.port}"
    return None
