"""Figures that must fit together across files."""

from __future__ import annotations

import re
from typing import Iterator

from manifests import COMPONENT_LABEL, Manifests, Resource, containers, environment, labels, name
from registry import rule

# service_kit::config's default, and what a process holds beside its pool: the relay's leader and a migration.
CONNECTIONS_DEFAULT = 16
CONNECTIONS_BESIDE = 2
# The game service keeps its leases on connections of their own.
CONNECTIONS_OF_LEASES = {"game": 2}
# Postgres keeps 3 for superusers; people with psql and the migration Jobs need some as well.
CONNECTIONS_SPARE = 20


def databases(manifests: Manifests) -> list[Resource]:
    return [workload for workload in manifests.lasting() if labels(workload).get(COMPONENT_LABEL) == "database"]


@rule("f1", "own: connections", "all pods at their most fit into Postgres' max_connections", databases)
def connections_fit(manifests: Manifests, database: Resource) -> Iterator[str]:
    arguments = [argument for container in containers(database) for argument in container.get("args", [])]
    found = next((re.fullmatch(r"--max_connections=(\d+)", argument) for argument in arguments if "max_connections" in argument), None)
    if found is None:
        yield "max_connections is not set"
        return
    needed = CONNECTIONS_SPARE
    for workload in manifests.services():
        own = environment(containers(workload)[0]).get("STAKEMATE_DATABASE_CONNECTIONS", CONNECTIONS_DEFAULT)
        # A rolling update has one pod more than the autoscaler's most.
        surge = workload["spec"].get("strategy", {}).get("rollingUpdate", {}).get("maxSurge", 0)
        beside = CONNECTIONS_BESIDE + CONNECTIONS_OF_LEASES.get(name(workload), 0)
        needed += (manifests.replicas(workload)[1] + surge) * (int(own) + beside)
    if needed > int(found[1]):
        yield f"max_connections is {found[1]}, the services may need {needed}"
