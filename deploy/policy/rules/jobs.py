"""Migrations: check 25."""

from __future__ import annotations

from typing import Iterator

from manifests import Manifests, Resource, containers, labels, name, pod
from registry import rule, whole


def jobs(manifests: Manifests) -> list[Resource]:
    return manifests.of("Job")


@rule("25", "KL job-ttl-seconds-after-finished", "Jobs clear themselves away, give up in time, and are tried a few times", jobs)
def bounded_job(_: Manifests, job: Resource) -> Iterator[str]:
    spec = job["spec"]
    for key in ("ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit"):
        if not isinstance(spec.get(key), int):
            yield f"no {key}"
    if pod(job).get("restartPolicy") != "Never":
        yield "restartPolicy is not Never: the logs of a failed try would be gone"


@rule("25a", "migration per database", "every service has a migration, and it is the service's own", whole)
def every_service_migrates(manifests: Manifests, _: Manifests) -> Iterator[str]:
    for service in manifests.services():
        job = manifests.find("Job", f"migrate-{name(service)}")
        if job is None:
            yield f"no Job migrate-{name(service)}"
            continue
        theirs, ours = containers(job)[0], containers(service)[0]
        if (theirs.get("command"), theirs.get("args")) != (ours.get("command"), ["migrate"]) or theirs["image"] != ours["image"]:
            yield f"Job migrate-{name(service)} does not run the service's own program with `migrate`"


@rule("25b", "separate DB role", "migrations use another database role than the service", jobs)
def own_role(manifests: Manifests, job: Resource) -> Iterator[str]:
    ours = {secret for _, secret, _ in manifests.secret_files(job)}
    service = next((one for one in manifests.services() if f"migrate-{name(one)}" == name(job)), None)
    theirs = {secret for _, secret, _ in manifests.secret_files(service)} if service else set()
    if not ours or ours & theirs:
        yield f"shares {', '.join(sorted(ours & theirs)) or 'nothing'} with {labels(job).get('app.kubernetes.io/name')}"
