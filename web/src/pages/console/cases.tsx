// The fair-play queue: cases that a person has to decide, and those that are decided.

import { useState } from "preact/hooks";

import { CaseDecision, type FairplayCase } from "../../gen/stakemate/fairplay/v1/fairplay_service_pb.ts";
import { Loaded, useLoading } from "../../parts/parts.tsx";
import { moment } from "../../text/format.ts";
import { t } from "../../text/text.ts";
import { fairplay } from "../../wire/clients/fairplay.ts";
import { unary } from "../../wire/transport.ts";
import { Badge, Frame, lasted, PlayerName } from "./frame.tsx";
import { ct, ctKnown } from "./words.ts";

const PAGE = 30;
const CLASSES = ["", "bullet", "blitz", "rapid", "classical"] as const;

/// The page of the cases.
export function Cases() {
  const [withDecided, setWithDecided] = useState(false);
  const [timeClass, setTimeClass] = useState<string>("");
  const [more, setMore] = useState<{ cases: FairplayCase[]; token: string } | null>(null);
  const [first, again] = useLoading(() => {
    setMore(null);
    return fairplay.listCases({ withDecided, pageSize: PAGE }, unary);
  }, [withDecided]);
  return (
    <Frame title={ct("cases.title")}>
      <form class="search" aria-label={ct("cases.filter")} onSubmit={(event) => event.preventDefault()}>
        <label>
          {ct("cases.which")}
          <select value={withDecided ? "all" : "open"} onChange={(event) => setWithDecided(event.currentTarget.value === "all")} name="which">
            <option value="open">{ct("cases.open")}</option>
            <option value="all">{ct("cases.all")}</option>
          </select>
        </label>
        <label>
          {ct("cases.class")}
          <select value={timeClass} onChange={(event) => setTimeClass(event.currentTarget.value)} name="class">
            {CLASSES.map((one) => (
              <option key={one} value={one}>
                {one === "" ? ct("cases.everyClass") : ctKnown("class", one)}
              </option>
            ))}
          </select>
        </label>
      </form>
      <Loaded from={first} again={again}>
        {(page) => {
          const all = [...page.cases, ...(more?.cases ?? [])];
          const shown = all.filter((one) => timeClass === "" || one.timeClass === timeClass);
          const token = more === null ? page.nextPageToken : more.token;
          const next = async (): Promise<void> => {
            const got = await fairplay.listCases({ withDecided, pageSize: PAGE, pageToken: token }, unary);
            setMore({ cases: [...(more?.cases ?? []), ...got.cases], token: got.nextPageToken });
          };
          return (
            <>
              {shown.length === 0 && <p class="empty">{ct("cases.none")}</p>}
              <ul class="rows" role="list">
                {shown.map((one) => (
                  <Case key={one.caseId} of={one} />
                ))}
              </ul>
              {token !== "" && (
                <button type="button" class="quiet" onClick={() => void next().catch(() => undefined)}>
                  {t("action.more")}
                </button>
              )}
            </>
          );
        }}
      </Loaded>
    </Frame>
  );
}

function Case(props: { of: FairplayCase }) {
  const { of } = props;
  return (
    <li class="card case" data-case={of.caseId} data-decision={CaseDecision[of.decision]}>
      <strong>
        <PlayerName id={of.playerId} />
      </strong>
      <span>{ctKnown("class", of.timeClass)}</span>
      <span>
        {moment(of.openedAtMs)} <small>{ct("cases.ago", { time: lasted(Date.now() - Number(of.openedAtMs)) })}</small>
      </span>
      <DecisionBadge decision={of.decision} />
      <a class="button quiet small-button" href={`/console/cases/${of.caseId}`}>
        {ct("cases.look")}
      </a>
    </li>
  );
}

/// How a case stands, at a glance.
export function DecisionBadge(props: { decision: CaseDecision }) {
  const name = CaseDecision[props.decision];
  const tone = { UNSPECIFIED: "note", CLEARED: "good", CONFIRMED: "bad" }[name as "CLEARED"] as "note" | "good" | "bad";
  return <Badge tone={tone}>{ctKnown("decision", name)}</Badge>;
}
