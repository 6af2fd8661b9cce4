"""Checks that other programs make: the broker reads its own configuration, hadolint the Containerfile."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from manifests import Manifests, name
from rendering import DEPLOY

ROOT = DEPLOY.parent
HADOLINT = ROOT / ".stakemate/tools/bin/hadolint"


def nats_server() -> str:
    """The one that bootstrap unpacked, else the machine's."""
    unpacked = sorted((ROOT / ".stakemate/servers/nats").rglob("bin/nats-server"))
    return str(unpacked[0]) if unpacked else "nats-server"


def broker_configuration(manifests: Manifests) -> list[str]:
    """Laid out as in the pod, with the secrets of this run."""
    found = [one for one in manifests.of("ConfigMap") if name(one).startswith("nats-config")]
    if len(found) != 1:
        return [f"{len(found)} ConfigMaps nats-config instead of one"]
    with tempfile.TemporaryDirectory() as folder:
        config, secrets = Path(folder, "config"), Path(folder, "secrets")
        config.mkdir()
        secrets.mkdir()
        (config / "nats.conf").write_text(found[0]["data"]["nats.conf"], encoding="utf-8")
        for key, text in manifests.secrets["nats-secrets"].items():
            (secrets / key).write_text(text, encoding="utf-8")
        return _complaints([nats_server(), "-t", "--config", str(config / "nats.conf")])


def container_file() -> list[str]:
    return _complaints([str(HADOLINT), "--no-color", str(DEPLOY / "Containerfile")])


def _complaints(command: list[str]) -> list[str]:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except OSError as error:
        return [f"{Path(command[0]).name}: {error.strerror}"]
    if done.returncode == 0:
        return []
    return (done.stdout + done.stderr).strip().splitlines() or [f"{Path(command[0]).name} failed: {done.returncode}"]
