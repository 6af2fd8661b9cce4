"""What is knowingly not as the operator's list wants it, and why. An exception that nothing needs any more is a finding."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Exemption:
    # The number of the rule, and patterns of the rendering (base, dev, prod) and of the subjects ("Deployment/game").
    rule: str
    render: str
    subjects: tuple[str, ...]
    reason: str


SINGLE_SERVERS = ("StatefulSet/nats", "StatefulSet/postgres", "Deployment/redis")

EXCEPTIONS = (
    Exemption("9", "base", ("*",), "the base names images only; the overlay that is applied chooses which"),
    Exemption("9", "dev", ("*",), "on a developer's cluster the newest build is wanted: moving tags"),
    Exemption("16", "*", SINGLE_SERVERS, "single servers until NATS R3 and a Postgres operator; what Redis holds may be lost"),
    Exemption("16", "dev", ("Deployment/*",), "one pod a service is enough to try things out"),
    Exemption("19", "*", SINGLE_SERVERS, "a single pod has nothing to be spread from"),
    Exemption("25b", "*", ("Job/migrate-*",), "services migrate at their start as well and so own their tables; one role each"),
    Exemption("26b", "*", ("StatefulSet/nats",), "one broker: the outboxes bridge its restarts; R3 needs replicated streams"),
)
