// One case: what the evidence is and how much of it there is, what others reported, every decision so far, and the next one.

import { useState } from "preact/hooks";

import type { GetCaseResponse, PastDecision } from "../../gen/stakemate/fairplay/v1/case_service_pb.ts";
import { CaseDecision } from "../../gen/stakemate/fairplay/v1/fairplay_service_pb.ts";
import { Loaded, useLoading } from "../../parts/parts.tsx";
import { moment } from "../../text/format.ts";
import { fairplay } from "../../wire/clients/fairplay.ts";
import { unary } from "../../wire/transport.ts";
import { Evidence } from "./evidence.tsx";
import { Facts, Frame, PlayerName, Reasoned } from "./frame.tsx";
import { DecisionBadge } from "./cases.tsx";
import { cases } from "./wire.ts";
import { ct, ctKnown } from "./words.ts";

/// The page of one case.
export function CasePage(props: { id: string }) {
  const [found, again] = useLoading(async () => {
    const told = await cases.getCase({ caseId: props.id }, unary);
    const assessed = await fairplay.getPlayerAssessment({ playerId: told.found!.playerId }, unary);
    return { told, assessed };
  }, [props.id]);
  return (
    <Frame title={ct("case.title")}>
      <Loaded from={found} again={again}>
        {({ told, assessed }) => {
          const { found: one } = told;
          const [own, others] = [
            assessed.assessments.filter((each) => each.timeClass === one!.timeClass),
            assessed.assessments.filter((each) => each.timeClass !== one!.timeClass),
          ];
          return (
            <div class="case-page" data-decision={CaseDecision[one!.decision]}>
              <Facts
                of={[
                  [ct("case.player"), <PlayerName id={one!.playerId} />],
                  [ct("cases.class"), ctKnown("class", one!.timeClass)],
                  [ct("case.opened"), moment(one!.openedAtMs)],
                  [ct("case.state"), <DecisionBadge decision={one!.decision} />],
                  [ct("case.barred"), ct(assessed.isBarred ? "case.yes" : "case.no")],
                  [ct("case.prizes"), assessed.prizesHeldUntilMs === 0n ? "–" : moment(assessed.prizesHeldUntilMs)],
                ]}
              />
              <Decide told={told} onDecided={again} />
              <Decisions of={told.decisions} />
              {own.map((each) => (
                <Evidence key={each.timeClass} of={each} />
              ))}
              {own.length === 0 && <p class="empty">{ct("case.noEvidence")}</p>}
              {others.length > 0 && (
                <details class="others">
                  <summary>{ct("case.others")}</summary>
                  {others.map((each) => (
                    <Evidence key={each.timeClass} of={each} />
                  ))}
                </details>
              )}
              <Reports told={told} />
            </div>
          );
        }}
      </Loaded>
    </Frame>
  );
}

function Decide(props: { told: GetCaseResponse; onDecided: () => void }) {
  const [asking, setAsking] = useState<CaseDecision | null>(null);
  const { caseId, decision } = props.told.found!;
  const decide = async (reason: string): Promise<void> => {
    await fairplay.decideCase({ caseId, decision: asking!, reason }, unary);
    setAsking(null);
    props.onDecided();
  };
  const isOpen = decision === CaseDecision.UNSPECIFIED;
  return (
    <section class="decide" aria-label={ct("case.decide")}>
      <div class="buttons">
        {decision !== CaseDecision.CLEARED && (
          <button type="button" class={isOpen ? "" : "quiet"} onClick={() => setAsking(CaseDecision.CLEARED)}>
            {ct(isOpen ? "case.clear" : "case.clearAfter")}
          </button>
        )}
        {decision !== CaseDecision.CONFIRMED && (
          <button type="button" class={isOpen ? "danger" : "quiet danger"} onClick={() => setAsking(CaseDecision.CONFIRMED)}>
            {ct(isOpen ? "case.confirm" : "case.confirmAfter")}
          </button>
        )}
      </div>
      {asking !== null && (
        <Reasoned
          title={ct(asking === CaseDecision.CLEARED ? "case.clear" : "case.confirm")}
          text={ct(asking === CaseDecision.CLEARED ? "case.clearSure" : "case.confirmSure")}
          yes={ct(asking === CaseDecision.CLEARED ? "case.clear" : "case.confirm")}
          tone={asking === CaseDecision.CLEARED ? "plain" : "danger"}
          onYes={decide}
          onNo={() => setAsking(null)}
        />
      )}
    </section>
  );
}

function Decisions(props: { of: PastDecision[] }) {
  if (props.of.length === 0) return null;
  return (
    <section aria-label={ct("case.decisions")}>
      <h2>{ct("case.decisions")}</h2>
      <ol class="decisions">
        {props.of.map((one) => (
          <li key={String(one.decidedAtMs)} class="card" data-decided={CaseDecision[one.decision]}>
            <div class="heading">
              <DecisionBadge decision={one.decision} />
              <small>
                {moment(one.decidedAtMs)} · <PlayerName id={one.decidedBy} />
              </small>
            </div>
            <p>{one.reason}</p>
            {one.gameIds.length > 0 && <small>{ct("case.about", { n: one.gameIds.length })}</small>}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Reports(props: { told: GetCaseResponse }) {
  const { reports } = props.told;
  return (
    <section aria-label={ct("case.reports")}>
      <h2>{ct("case.reports")}</h2>
      {reports.length === 0 && <p class="empty">{ct("case.noReports")}</p>}
      <ul class="decisions" role="list">
        {reports.map((one) => (
          <li key={`${one.gameId} ${one.reportedBy}`} class="card">
            <p>{one.reason}</p>
            <small>
              {moment(one.reportedAtMs)} · <PlayerName id={one.reportedBy} /> · <a href={`/replay/${one.gameId}`}>{ct("case.replay")}</a>
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}
