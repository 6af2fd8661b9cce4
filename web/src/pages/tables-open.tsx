// The form that opens a table. What may be chosen is what the rule set leaves open.

import { useState } from "preact/hooks";

import { ruleSets } from "../game/rule-sets.ts";
import { ColorPolicy, DrawsSetting, RatingPolicy, type RuleSet } from "../gen/stakemate/game/v1/rule_set_pb.ts";
import { LagCreditSetting, TableVisibility } from "../gen/stakemate/game/v1/table_service_pb.ts";
import { Color } from "../gen/stakemate/type/v1/color_pb.ts";
import { Loaded, useLoading } from "../parts/parts.tsx";
import { go } from "../router.ts";
import { timeControl } from "../text/format.ts";
import { capital, t, tKnown } from "../text/text.ts";
import { tables } from "../wire/clients/tables.ts";
import { ATTEMPT, insist } from "../wire/insist.ts";
import { refusalOf, refusalText } from "../wire/refusal.ts";
import { requestId } from "../wire/request-id.ts";

/// The clocks that are offered where any may be played.
const USUAL_CLOCKS: [number, number][] = [[1, 0], [3, 2], [5, 0], [10, 5], [15, 10], [30, 0]];
const MINUTES_MAX = 180;
const SECONDS_MAX = 180;
/// The one rule set whose draws and delay credit are the host's to set.
const FREE_RULE_SET = "match";

interface Clock {
  key: string;
  control: { baseMs: bigint; incrementMs: bigint } | undefined;
}

/// The form.
export function OpenTable(props: { onCancel: () => void }) {
  const [sets, again] = useLoading(async () => (await ruleSets()).filter((set) => set.atTables), []);
  return (
    <Loaded from={sets} again={again}>
      {(all) => <Form sets={all} onCancel={props.onCancel} />}
    </Loaded>
  );
}

function Form(props: { sets: RuleSet[]; onCancel: () => void }) {
  const [name, setName] = useState(props.sets[0]?.name ?? "");
  const [clock, setClock] = useState("");
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const set = props.sets.find((one) => one.name === name) ?? props.sets[0];
  if (set === undefined) return null;
  const clocks = clocksOf(set);
  const chosen = clocks.some((one) => one.key === clock) || clock === "custom" ? clock : (clocks[0]?.key ?? "");
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const control = chosen === "custom" ? customClock(form) : clocks.find((one) => one.key === chosen)?.control;
    const request = { ...termsOf(form), requestId: requestId(), ruleSet: set.name, timeControl: control };
    setBusy(true);
    setProblem(null);
    try {
      const answer = await insist(() => tables.openTable(request, ATTEMPT));
      go(`/table/${answer?.table?.tableId ?? ""}`);
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <form class="card form open-table" aria-label={t("tables.open")} onSubmit={(event) => void submit(event)}>
      <Radios name="ruleSet" legend={t("open.rules")} value={name} onChoice={setName} options={props.sets.map((one) => [one.name, tKnown("ruleSet", one.name)])} />
      <p class="small">
        {tKnown("ruleSetText", set.name)} <a href="/rules">{t("nav.rules")}</a>
      </p>
      {clocks.length > 1 && (
        <Radios
          name="clock"
          legend={t("open.clock")}
          value={chosen}
          onChoice={setClock}
          options={[
            ...clocks.map((one): [string, string] => [one.key, one.control === undefined ? capital(t("terms.untimed")) : one.key]),
            ...(set.anyTimeControl ? [["custom", t("open.custom")] as [string, string]] : []),
          ]}
        />
      )}
      {chosen === "custom" && (
        <div class="pair-of-fields">
          <label>
            {t("open.minutes")}
            <input name="minutes" type="number" inputMode="decimal" min="0.25" max={MINUTES_MAX} step="0.25" value="20" required />
          </label>
          <label>
            {t("open.seconds")}
            <input name="seconds" type="number" inputMode="numeric" min="0" max={SECONDS_MAX} step="1" value="5" required />
          </label>
        </div>
      )}
      <Terms set={set} />
      <Radios name="visibility" legend={t("open.who")} options={[["public", t("open.public")], ["link", t("open.byLink")]]} />
      {problem !== null && (
        <p class="problem" role="alert" data-reason={refusalOf(problem).reason}>
          {refusalText(problem)}
        </p>
      )}
      <div class="buttons">
        <button type="submit" disabled={busy}>
          {t("tables.open")}
        </button>
        <button type="button" class="quiet" onClick={props.onCancel}>
          {t("action.cancel")}
        </button>
      </div>
    </form>
  );
}

/// What only some rule sets leave open.
function Terms(props: { set: RuleSet }) {
  const { set } = props;
  return (
    <>
      {set.colors === ColorPolicy.PLAYERS_CHOICE && (
        <Radios name="color" legend={t("open.color")} options={[["any", t("open.drawn")], ["white", t("side.white")], ["black", t("side.black")]]} />
      )}
      {set.name === FREE_RULE_SET && (
        <>
          <Radios name="draws" legend={t("open.draws")} options={[["automatic", t("open.byThemselves")], ["claim", t("open.byClaim")]]} />
          <Check name="lagCredit" text={t("open.lagCredit")} />
        </>
      )}
      {set.rating === RatingPolicy.CHOSEN && <Check name="rated" text={t("open.rated")} />}
    </>
  );
}

/// A choice of one; with `value` it is the caller's, without it the first is chosen at the start.
function Radios(props: { name: string; legend: string; options: [string, string][]; value?: string; onChoice?: (key: string) => void }) {
  return (
    <fieldset>
      <legend>{props.legend}</legend>
      <div class="options">
        {props.options.map(([key, text], index) => (
          <label key={key} class="option">
            <input
              type="radio"
              name={props.name}
              value={key}
              {...(props.value === undefined ? { defaultChecked: index === 0 } : { checked: props.value === key })}
              onChange={() => props.onChoice?.(key)}
            />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Check(props: { name: string; text: string }) {
  return (
    <label class="switch">
      <input type="checkbox" name={props.name} />
      {props.text}
    </label>
  );
}

function clocksOf(set: RuleSet): Clock[] {
  const usual = set.anyTimeControl ? USUAL_CLOCKS.map(([minutes, seconds]) => controlOf(minutes, seconds)) : set.timeControls;
  const timed = usual.map((control) => ({ key: timeControl(control as never), control: { baseMs: control.baseMs, incrementMs: control.incrementMs } }));
  return set.untimed ? [...timed, { key: "untimed", control: undefined }] : timed;
}

function controlOf(minutes: number, seconds: number): { baseMs: bigint; incrementMs: bigint } {
  return { baseMs: BigInt(Math.round(minutes * 60_000)), incrementMs: BigInt(Math.round(seconds * 1_000)) };
}

function customClock(form: FormData): { baseMs: bigint; incrementMs: bigint } {
  return controlOf(Number(form.get("minutes")), Number(form.get("seconds")));
}

function termsOf(form: FormData) {
  const colors = { white: Color.WHITE, black: Color.BLACK } as Record<string, Color>;
  const draws = { automatic: DrawsSetting.AUTOMATIC, claim: DrawsSetting.BY_CLAIM } as Record<string, DrawsSetting>;
  const free = form.get("draws") !== null;
  return {
    visibility: form.get("visibility") === "link" ? TableVisibility.BY_LINK : TableVisibility.PUBLIC,
    rated: form.get("rated") !== null,
    hostColor: colors[String(form.get("color"))] ?? Color.UNSPECIFIED,
    draws: draws[String(form.get("draws"))] ?? DrawsSetting.UNSPECIFIED,
    lagCredit: !free ? LagCreditSetting.UNSPECIFIED : form.get("lagCredit") === null ? LagCreditSetting.OFF : LagCreditSetting.ON,
  };
}
