"""Rules, findings, and the exceptions from them."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Callable, Iterable, Iterator

from exceptions import EXCEPTIONS, Exemption
from manifests import Manifests, title

Check = Callable[[Manifests, Any], Iterator[str]]


@dataclass(frozen=True)
class Rule:
    """One check of the operator's list, under its number there and the names that the tools of the field give it."""

    number: str
    names: str
    says: str
    subjects: Callable[[Manifests], Iterable[Any]]
    check: Check

    def label(self) -> str:
        return f"{self.number:4} {self.says} ({self.names})"


@dataclass(frozen=True)
class Finding:
    rule: Rule
    render: str
    subject: str
    message: str

    def __str__(self) -> str:
        return f"{self.render}: {self.subject}: {self.message}"


RULES: list[Rule] = []


def rule(number: str, names: str, says: str, subjects: Callable[[Manifests], Iterable[Any]]) -> Callable[[Check], Check]:
    """Registers a rule: it is asked once a subject, and yields what is wrong with it."""

    def register(check: Check) -> Check:
        RULES.append(Rule(number, names, says, subjects, check))
        return check

    return register


def whole(manifests: Manifests) -> list[Manifests]:
    """The subject of rules about a rendering as a whole."""
    return [manifests]


@dataclass
class Outcome:
    """What came of one rule on one rendering."""

    subjects: int
    findings: list[Finding]
    exempted: list[tuple[Finding, Exemption]]


def run(one: Rule, manifests: Manifests) -> Outcome:
    outcome = Outcome(0, [], [])
    for subject in one.subjects(manifests):
        outcome.subjects += 1
        called = "everything" if isinstance(subject, Manifests) else title(subject)
        for message in _messages(one, manifests, subject):
            finding = Finding(one, manifests.render, called, message)
            exemption = _exemption(finding)
            if exemption:
                outcome.exempted.append((finding, exemption))
            else:
                outcome.findings.append(finding)
    return outcome


def _messages(one: Rule, manifests: Manifests, subject: Any) -> list[str]:
    # A manifest of an unexpected shape is a finding, not the end of the run: the other checks still have their say.
    try:
        return list(one.check(manifests, subject))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        return [f"cannot be judged: {type(error).__name__} {error}"]


def _exemption(finding: Finding) -> Exemption | None:
    for exemption in EXCEPTIONS:
        if (
            exemption.rule == finding.rule.number
            and fnmatchcase(finding.render, exemption.render)
            and any(fnmatchcase(finding.subject, subject) for subject in exemption.subjects)
        ):
            return exemption
    return None
