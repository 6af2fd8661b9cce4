// House tables: those that are open, and a form that opens one.

import { useEffect, useMemo, useState } from "preact/hooks";

import { LiveTables } from "../game/live-tables.ts";
import { TableStatus, type Table } from "../gen/stakemate/game/v1/table_service_pb.ts";
import { Problem, Title } from "../parts/parts.tsx";
import { person } from "../session/session.ts";
import { timeControl } from "../text/format.ts";
import { t, tKnown } from "../text/text.ts";
import { SignIn } from "./sign-in.tsx";
import { OpenTable } from "./tables-open.tsx";

/// The page of all public tables.
export function Tables() {
  const live = useMemo(() => new LiveTables(), []);
  const [opening, setOpening] = useState(false);
  useEffect(() => {
    live.start();
    return () => live.end();
  }, [live]);
  if (opening && person.value === null) return <SignIn />;
  return (
    <section class="tables">
      <div class="heading">
        <Title>{t("tables.title")}</Title>
        {!opening && (
          <button type="button" onClick={() => setOpening(true)}>
            {t("tables.open")}
          </button>
        )}
      </div>
      <p class="lead">{t("tables.lead")}</p>
      {opening && <OpenTable onCancel={() => setOpening(false)} />}
      <h2>{t("tables.list")}</h2>
      <List live={live} />
      <p>
        <a href="/two">{t("two.link")}</a>
      </p>
    </section>
  );
}

function List(props: { live: LiveTables }) {
  const all = props.live.all.value;
  if (props.live.failure.value !== null) return <Problem error={props.live.failure.value} />;
  if (all === null) return <p class="loading" role="status">{t("state.loading")}</p>;
  if (all.length === 0) return <p class="empty">{t("tables.none")}</p>;
  return (
    <ul class="open-tables" role="list">
      {all.map((table) => (
        <Row key={table.tableId} table={table} />
      ))}
    </ul>
  );
}

function Row(props: { table: Table }) {
  const { table } = props;
  const names = table.seats.map((seat) => seat.player?.name ?? "").join(" – ");
  const free = table.status === TableStatus.WAITING;
  const own = table.seats.some((seat) => seat.player?.playerId === person.value?.id);
  const word = own ? "tables.yours" : free ? "tables.look" : "tables.watch";
  return (
    <li class="card" data-table={table.tableId} data-status={TableStatus[table.status]}>
      <span class="names">{names === "" ? table.host?.name : names}</span>
      <small class="terms">{termsText(table)}</small>
      <span class="badge" data-free={free ? "yes" : "no"}>{tKnown("tableStatus", TableStatus[table.status])}</span>
      <a class={`button small ${free || own ? "" : "quiet"}`} href={`/table/${table.tableId}`} aria-label={`${t(word)}: ${names}`}>
        {t(word)}
      </a>
    </li>
  );
}

/// What is played at a table, in one line.
export function termsText(table: Table): string {
  const clock = table.timeControl === undefined ? t("terms.untimed") : timeControl(table.timeControl);
  const rated = t(table.rated ? "terms.rated" : "terms.casual");
  return [tKnown("ruleSet", table.ruleSet), clock, rated].join(" · ");
}
