"""Rendering with the kustomize inside kubectl, and validation against the schemas of one Kubernetes version. No network."""

from __future__ import annotations

import subprocess
from functools import lru_cache
from pathlib import Path

import jsonschema
import yaml
from kubernetes_validate import utils as schemas

from manifests import Manifests, Resource, title

DEPLOY = Path(__file__).resolve().parents[1]
KUBECTL = DEPLOY.parent / ".stakemate/tools/bin/kubectl"
KUBERNETES_VERSION = "1.37"
RENDERINGS = {"base": "base", "dev": "overlays/dev", "prod": "overlays/prod"}
# Schemas are read once, not once a resource: a second instead of minutes.
schemas.schema_contents = lru_cache(maxsize=None)(schemas.schema_contents)


class RenderError(Exception):
    """A rendering or the list of secrets could not be made; the text says why."""


def render(called: str) -> Manifests:
    text = _run([str(KUBECTL), "kustomize", str(DEPLOY / RENDERINGS[called])])
    resources = [resource for resource in yaml.safe_load_all(text) if resource]
    if not resources:
        raise RenderError(f"{called} renders to nothing")
    return Manifests(called, resources, secrets(called))


@lru_cache(maxsize=None)
def secrets(namespace: str) -> dict[str, dict[str, str]]:
    """What deploy/create-secrets makes, with passwords made for this run."""
    made = [one for one in yaml.safe_load_all(_run([str(DEPLOY / "create-secrets"), namespace])) if one]
    for secret in made:
        problems = invalid(secret)
        if problems:
            raise RenderError(f"create-secrets: {problems}")
    return {secret["metadata"]["name"]: secret["stringData"] for secret in made}


def invalid(resource: Resource) -> str | None:
    """What a strict reading of the schema has against a resource: unknown fields, wrong types, unknown kinds."""
    try:
        checked = schemas.validate(resource, KUBERNETES_VERSION, strict=True)
    except jsonschema.ValidationError as error:
        return f"{title(resource)}: {'.'.join(str(step) for step in error.path) or 'top level'}: {error.message}"
    except schemas.SchemaNotFoundError as error:
        return f"{title(resource)}: {error.message}"
    except KeyError as error:
        return f"{title(resource)}: no {error}"
    if checked != KUBERNETES_VERSION:
        return f"{title(resource)}: was held against Kubernetes {checked} instead of {KUBERNETES_VERSION}"
    return None


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    except OSError as error:
        raise RenderError(f"{Path(command[0]).name}: {error.strerror}") from error
    if done.returncode != 0:
        raise RenderError(f"{Path(command[0]).name} failed: {done.stderr.strip() or done.returncode}")
    return done.stdout
