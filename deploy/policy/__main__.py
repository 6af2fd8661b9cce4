"""`make deploy-check`: renders every manifest, validates it, and asks of it what an operator would.

    scripts/deploy-check              everything, and the self-test
    scripts/deploy-check --self-test  only the self-test, with every seeded mistake on a line of its own

One line a check, the findings below it, a closing summary. Exit codes: 0 nothing found, 1 findings, 2 wrong arguments.
"""

from __future__ import annotations

import re
import sys

import mutations
import programs
import rules  # noqa: F401  (registers them)
from exceptions import EXCEPTIONS
from manifests import Manifests
from registry import RULES, Rule, run
from rendering import KUBERNETES_VERSION, RENDERINGS, RenderError, invalid, render

# More exceptions than this are counted instead of named.
NAMED_MAX = 6


class Report:
    """Prints as it goes and counts."""

    def __init__(self) -> None:
        self.checks = 0
        self.failed = 0
        self.exempted = 0

    def line(self, label: str, subjects: str, findings: list[str], exempted: list[str] | None = None) -> None:
        self.checks += 1
        self.failed += bool(findings)
        self.exempted += len(exempted or [])
        print(f"{'FAIL' if findings else 'ok  '} {label}: {subjects}")
        for finding in findings:
            print(f"         {finding}")
        for reason in exempted or []:
            print(f"     except {reason}")


def check_schemas(report: Report, renderings: list[Manifests]) -> None:
    for manifests in renderings:
        problems = [problem for problem in map(invalid, manifests.resources) if problem]
        label = f"0    {manifests.render} renders and is strictly valid for Kubernetes {KUBERNETES_VERSION}"
        report.line(label, f"{len(manifests.resources)} resources", problems)


def check_rules(report: Report, renderings: list[Manifests]) -> None:
    used = set()
    for rule in sorted(RULES, key=place):
        outcomes = [run(rule, manifests) for manifests in renderings]
        findings = [str(finding) for outcome in outcomes for finding in outcome.findings]
        reasons: dict[str, set[str]] = {}
        for outcome in outcomes:
            for finding, exemption in outcome.exempted:
                used.add(exemption)
                reasons.setdefault(exemption.reason, set()).add(finding.subject)
        # A check that looked at nothing has not passed.
        subjects = [outcome.subjects for outcome in outcomes]
        if 0 in subjects:
            findings.append("had nothing to look at")
        exempted = [f"{named(exempt)}: {reason}" for reason, exempt in reasons.items()]
        report.line(rule.label(), f"{sum(subjects)} checked", findings, exempted)
    stale = [f"{one.rule} {one.render} {', '.join(one.subjects)}" for one in EXCEPTIONS if one not in used]
    report.line("e    every exception is still needed", f"{len(EXCEPTIONS)} exceptions", stale)


def place(rule: Rule) -> tuple[bool, int, str]:
    """The order of the operator's list; our own checks, whose numbers begin with a letter, come last."""
    digits = re.match(r"\d*", rule.number)[0]
    return not digits, int(digits or 0), rule.number


def named(subjects: set[str]) -> str:
    return ", ".join(sorted(subjects)) if len(subjects) <= NAMED_MAX else f"{len(subjects)} resources"


def check_programs(report: Report, renderings: list[Manifests]) -> None:
    for manifests in renderings:
        findings = programs.broker_configuration(manifests)
        report.line(f"p1   {manifests.render}: nats-server accepts its configuration", "nats.conf", findings)
    report.line("p2   hadolint accepts the Containerfile", "Containerfile", programs.container_file())


def check_self(report: Report, production: Manifests, every_line: list[str]) -> None:
    results = mutations.run_all(production)
    if every_line:
        for result in results:
            print(f"{'ok  ' if result.noticed else 'FAIL'} {result.rule:4} {result.mistake}")
    missed = [f"{result.rule}: {result.mistake} was not noticed" for result in results if not result.noticed]
    report.line("s    self-test: every seeded mistake is noticed", f"{len(results)} mistakes", missed + mutations.untested())


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--self-test"]):
        print(__doc__, file=sys.stderr)
        return 2
    report = Report()
    try:
        renderings = [render(called) for called in RENDERINGS]
    except RenderError as error:
        print(f"FAIL 0    {error}\ndeploy-check: nothing could be checked")
        return 1
    if not arguments:
        check_schemas(report, renderings)
        check_rules(report, renderings)
        check_programs(report, renderings)
    check_self(report, next(one for one in renderings if one.render == "prod"), arguments)
    resources = sum(len(manifests.resources) for manifests in renderings)
    print(
        f"deploy-check: {report.checks - report.failed} passed, {report.failed} failed"
        f" ({resources} resources in {len(renderings)} renderings, {report.exempted} exceptions)"
    )
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
