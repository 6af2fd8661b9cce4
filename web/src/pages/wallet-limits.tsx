// What a player sets himself: limits on deposits and losses, and keeping himself from playing.

import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { LimitKind } from "../gen/stakemate/wallet/v1/limit_kind_pb.ts";
import type { GetStandingResponse, Limit } from "../gen/stakemate/wallet/v1/wallet_service_pb.ts";
import { Loaded, useLoading } from "../parts/parts.tsx";
import { decimalsOf, moment, money, plainAmount } from "../text/format.ts";
import { t, tKnown } from "../text/text.ts";
import { typedAmount } from "../wallet/amount.ts";
import { ATTEMPT, insist } from "../wire/insist.ts";
import { refusalText } from "../wire/refusal.ts";
import { requestId } from "../wire/request-id.ts";
import { unary, wallet } from "../wire/transport.ts";

/// For how long one may exclude oneself, in days; 0 is for ever.
const EXCLUSION_DAYS = [183, 365, 1_826, 0];

/// Limits and self-exclusion in the player's currency.
export function Limits(props: { currency: string }) {
  const [standing, again] = useLoading(() => wallet.getStanding({}, unary), []);
  return (
    <section class="limits" aria-labelledby="limits">
      <h2 id="limits">{t("limits.title")}</h2>
      <p class="lead">{t("limits.lead")}</p>
      <Loaded from={standing} again={again}>
        {(found) => (
          <>
            <ul role="list">
              {found.limits.map((limit) => (
                <LimitRow key={limit.kind} limit={limit} currency={props.currency} onSet={again} />
              ))}
            </ul>
            <Exclusion standing={found} onDone={again} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function LimitRow(props: { limit: Limit; currency: string; onSet: () => void }) {
  const { limit, currency } = props;
  const [editing, setEditing] = useState(false);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const name = tKnown("limit", LimitKind[limit.kind]);
  const words = (minorUnits: bigint | undefined): string => (minorUnits === undefined ? t("limits.none") : money({ minorUnits, currency } as never));
  const set = (limitMinorUnits: bigint | undefined): void => {
    const request = { requestId: requestId(), kind: limit.kind, ...(limitMinorUnits === undefined ? {} : { limitMinorUnits }) };
    setBusy(true);
    setProblem("");
    insist(() => wallet.setLimit(request, ATTEMPT))
      .then(() => {
        setEditing(false);
        props.onSet();
      })
      .catch((error: unknown) => setProblem(refusalText(error)))
      .finally(() => setBusy(false));
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const amount = typedAmount(String(new FormData(event.currentTarget as HTMLFormElement).get("amount")), decimalsOf(currency));
    if (amount === null) setProblem(t("limits.notAnAmount"));
    else set(amount);
  };
  const now = limit.limitMinorUnits;
  return (
    <li class="card limit" data-limit={LimitKind[limit.kind]} data-now={now?.toString() ?? "none"}>
      <div class="heading">
        <h3>{name}</h3>
        <p class="now">{words(now)}</p>
      </div>
      {limit.isChanging && (
        <p class="note" data-next={limit.nextLimitMinorUnits?.toString() ?? "none"}>
          {t("limits.next", { amount: words(limit.nextLimitMinorUnits), when: moment(limit.nextCountsFromMs) })}
        </p>
      )}
      {editing ? (
        <form class="limit-form" onSubmit={submit}>
          <label for={`limit-${limit.kind}`}>{t("limits.amount", { currency })}</label>
          <input
            id={`limit-${limit.kind}`}
            name="amount"
            inputMode="decimal"
            autocomplete="off"
            required
            aria-invalid={problem !== ""}
            defaultValue={now === undefined ? "" : plainAmount({ minorUnits: now, currency } as never)}
          />
          <div class="buttons">
            <button type="submit" disabled={busy}>{t("limits.set")}</button>
            {now !== undefined && (
              <button type="button" class="quiet" disabled={busy} onClick={() => set(undefined)}>{t("limits.remove")}</button>
            )}
            <button type="button" class="quiet" onClick={() => setEditing(false)}>{t("action.cancel")}</button>
          </div>
        </form>
      ) : (
        <button type="button" class="quiet" aria-label={`${t("limits.change")}: ${name}`} onClick={() => setEditing(true)}>
          {t("limits.change")}
        </button>
      )}
      {problem !== "" && <p class="problem" role="alert">{problem}</p>}
    </li>
  );
}

function Exclusion(props: { standing: GetStandingResponse; onDone: () => void }) {
  const { standing } = props;
  const [days, setDays] = useState(EXCLUSION_DAYS[0]!);
  const [asking, setAsking] = useState(false);
  const [problem, setProblem] = useState("");
  const exclude = (): void => {
    setAsking(false);
    setProblem("");
    const request = { requestId: requestId(), days };
    insist(() => wallet.excludeMyself(request, ATTEMPT)).then(props.onDone, (error: unknown) => setProblem(refusalText(error)));
  };
  if (standing.isExcluded) {
    const until = standing.excludedUntilMs === 0n ? t("exclude.standsForEver") : t("exclude.stands", { when: moment(standing.excludedUntilMs) });
    return <p class="note excluded" role="status" data-until={standing.excludedUntilMs.toString()}>{until}</p>;
  }
  return (
    <div class="card exclusion">
      <h3>{t("exclude.title")}</h3>
      <p>{t("exclude.text")}</p>
      <fieldset>
        <legend>{t("exclude.howLong")}</legend>
        <div class="options">
          {EXCLUSION_DAYS.map((one) => (
            <label key={one} class="option">
              <input type="radio" name="days" value={one} checked={one === days} onChange={() => setDays(one)} />
              {t(`exclude.days${one}` as "exclude.days0")}
            </label>
          ))}
        </div>
      </fieldset>
      <button type="button" class="quiet danger" onClick={() => setAsking(true)}>
        {t("exclude.do")}
      </button>
      {problem !== "" && <p class="problem" role="alert">{problem}</p>}
      {asking && <Sure length={t(`exclude.days${days}` as "exclude.days0")} onYes={exclude} onNo={() => setAsking(false)} />}
    </div>
  );
}

/// What cannot be taken back needs more than one press.
function Sure(props: { length: string; onYes: () => void; onNo: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [understood, setUnderstood] = useState(false);
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={t("exclude.title")}
      onCancel={(event) => {
        event.preventDefault();
        props.onNo();
      }}
    >
      <p>{t("exclude.sure", { length: props.length })}</p>
      <label class="switch">
        <input type="checkbox" name="understood" checked={understood} onChange={(event) => setUnderstood(event.currentTarget.checked)} />
        {t("exclude.understood")}
      </label>
      <div class="buttons">
        <button type="button" class="danger" disabled={!understood} onClick={props.onYes}>{t("exclude.do")}</button>
        <button type="button" class="quiet" onClick={props.onNo}>{t("action.cancel")}</button>
      </div>
    </dialog>
  );
}
