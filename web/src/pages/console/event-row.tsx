// An event of a log: one line, and everything about it when it is opened.

import { useState } from "preact/hooks";

import type { Money } from "../../gen/stakemate/type/v1/money_pb.ts";
import { money } from "../../text/format.ts";
import { language } from "../../text/text.ts";
import { Facts, figure } from "./frame.tsx";
import { instant, short, type OwnedEvent } from "./wire.ts";
import { ct } from "./words.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/// One event. `since` shows times as what passed since then.
export function EventRow(props: { owned: OwnedEvent; traceUrl: string; since?: bigint }) {
  const [open, setOpen] = useState(false);
  const { service, event } = props.owned;
  const time = instant(event.recordedAtMs, language.value);
  const when = props.since === undefined ? time : `+${figure(Number(event.recordedAtMs - props.since) / 1_000, 3)} s`;
  return (
    <li class="event" data-service={service} data-kind={event.kind}>
      <details onToggle={(toggle) => setOpen((toggle.currentTarget as HTMLDetailsElement).open)}>
        <summary>
          <time title={time}>{when}</time>
          <span class="service-name">{service}</span>
          <strong>{event.kind}</strong>
          <span class="gist">{gist(props.owned)}</span>
        </summary>
        {open && <Whole owned={props.owned} traceUrl={props.traceUrl} />}
      </details>
    </li>
  );
}

function Whole(props: { owned: OwnedEvent; traceUrl: string }) {
  const { event } = props.owned;
  const stream = `${event.streamKind === "" ? "" : `${event.streamKind} `}${event.streamId}`;
  return (
    <div class="whole">
      <Facts
        of={[
          [ct("event.stream"), <code>{stream}</code>],
          [ct("event.version"), figure(event.version)],
          [ct("event.id"), <code>{event.eventId}</code>],
          [ct("event.actor"), <code>{event.actor}</code>],
          [ct("event.correlation"), <code>{event.correlationId}</code>],
          [ct("event.causation"), <code>{event.causationId}</code>],
          [ct("event.trace"), <Trace parent={event.traceParent} url={props.traceUrl} />],
          [ct("event.published"), event.publishedAtMs === undefined ? "–" : instant(event.publishedAtMs, language.value)],
        ]}
      />
      <pre tabIndex={0} role="region" aria-label={ct("event.data")}>{pretty(event.dataJson, event.dataBytes)}</pre>
    </div>
  );
}

/// The trace in which an event was decided.
export function Trace(props: { parent: string; url: string }) {
  const id = traceIdOf(props.parent);
  if (id === "") return <>{ct("event.noTrace")}</>;
  if (props.url === "") return <code>{id}</code>;
  return (
    <a href={props.url.replace("{trace_id}", id)} target="_blank" rel="noreferrer">
      {id}
    </a>
  );
}

/// The trace's id in a W3C traceparent; empty without one.
export function traceIdOf(parent: string): string {
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(parent)?.[1] ?? "";
}

/// An event's data as an object; empty when it is not shown.
export function dataOf(owned: OwnedEvent): Record<string, unknown> {
  try {
    return JSON.parse(owned.event.dataJson) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function pretty(json: string, bytes: number): string {
  if (json === "") return ct("event.tooLong", { bytes });
  return JSON.stringify(JSON.parse(json), null, 2);
}

/// A few words on what an event says: who plays, and the short values of its data that are no ids and no numbers of its kind.
function gist(owned: OwnedEvent): string {
  const whole = dataOf(owned);
  const data = (whole.proposal as Record<string, unknown> | undefined) ?? whole;
  const [white, black] = [data.white, data.black].map((side) => (side as { name?: string } | undefined)?.name);
  const words = white !== undefined && black !== undefined ? [`${white} – ${black}`] : [];
  for (const [field, value] of Object.entries(data)) {
    if (words.length >= 5) break;
    if (/Id$|Ms$|^(white|black)$/.test(field)) continue;
    const text = saying(field, value);
    if (text !== "") words.push(text);
  }
  return words.join(" · ") || short(owned.event.streamId);
}

function saying(field: string, value: unknown): string {
  if (typeof value === "string") {
    if (/^[A-Z]+(_[A-Z]+)+$/.test(value)) return choiceOf(field, value);
    return value.length > 40 || UUID.test(value) || /^\d+$/.test(value) ? "" : value;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "";
  const amount = amountOf(value);
  if (amount !== "") return field === "amount" ? amount : `${field} ${amount}`;
  const { name, currency, entries } = value as { name?: string; currency?: string; entries?: { changeMinorUnits?: string }[] };
  // A transfer says what somebody got by it: its entries sum to zero.
  const gained = entries?.find(({ changeMinorUnits = "0" }) => BigInt(changeMinorUnits) > 0n);
  return name ?? amountOf({ currency, minorUnits: gained?.changeMinorUnits });
}

function amountOf(value: { currency?: string | undefined; minorUnits?: string | undefined }): string {
  const { minorUnits, currency } = value;
  return currency === undefined || minorUnits === undefined ? "" : money({ minorUnits: BigInt(minorUnits), currency } as Money);
}

/// `END_REASON_CHECKMATE` of the field `endReason` as `checkmate`.
function choiceOf(field: string, value: string): string {
  const prefix = `${field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}_`;
  const at = value.indexOf(prefix);
  return (at < 0 ? value : value.slice(at + prefix.length)).toLowerCase().replaceAll("_", " ");
}
