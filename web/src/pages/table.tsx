// One table: who sits there, the way to sit down, and the link to hand on. A running game takes everybody to its board.

import { useEffect, useMemo, useState } from "preact/hooks";

import { announce } from "../announce.ts";
import { leaveTable } from "../game/leave-table.ts";
import { LiveTables } from "../game/live-tables.ts";
import { TableStatus, TableVisibility, type Table } from "../gen/stakemate/game/v1/table_service_pb.ts";
import { CopyField } from "../parts/copy-field.tsx";
import { Problem, Title } from "../parts/parts.tsx";
import { go } from "../router.ts";
import { person } from "../session/session.ts";
import { play } from "../sound.ts";
import { t, tKnown } from "../text/text.ts";
import { tables } from "../wire/clients/tables.ts";
import { ATTEMPT, insist } from "../wire/insist.ts";
import { refusalOf, refusalText } from "../wire/refusal.ts";
import { requestId } from "../wire/request-id.ts";
import { RematchOffers } from "./game-rematch.tsx";
import { SignIn } from "./sign-in.tsx";
import { termsText } from "./tables.tsx";

/// The page of one table.
export function TablePage(props: { id: string }) {
  const live = useMemo(() => new LiveTables(props.id), [props.id]);
  const [signingIn, setSigningIn] = useState(false);
  useEffect(() => {
    live.start();
    return () => live.end();
  }, [live]);
  const table = live.all.value?.[0];
  const running = table?.status === TableStatus.PLAYING ? table.gameId : "";
  const seated = table !== undefined && sitsAt(table);
  useEffect(() => {
    if (running === "") return;
    if (seated) play("check");
    announce(t("table.begun"));
    go(`/game/${running}`, "replace");
  }, [running]);
  if (live.failure.value !== null) return <Problem error={live.failure.value} />;
  if (live.closed.value || table?.status === TableStatus.CLOSED) return <Closed />;
  if (table === undefined || running !== "") return <p class="loading" role="status">{t("state.loading")}</p>;
  if (signingIn && person.value === null) return <SignIn />;
  return <Waiting table={table} live={live} onSignIn={() => setSigningIn(true)} />;
}

function sitsAt(table: Table): boolean {
  return table.seats.some((seat) => seat.player?.playerId === person.value?.id);
}

function Closed() {
  return (
    <section class="narrow">
      <Title>{t("table.closed")}</Title>
      <a class="button" href="/tables">
        {t("tables.title")}
      </a>
    </section>
  );
}

function Waiting(props: { table: Table; live: LiveTables; onSignIn: () => void }) {
  const { table, live } = props;
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const seated = sitsAt(table);
  const free = table.status === TableStatus.WAITING;
  const between = seated && table.status === TableStatus.BETWEEN_GAMES;
  const act = (work: () => Promise<void>): void => {
    setBusy(true);
    setProblem(null);
    work()
      .catch((error: unknown) => setProblem(error))
      .finally(() => setBusy(false));
  };
  const sit = async (): Promise<void> => {
    const request = { requestId: requestId(), tableId: table.tableId };
    live.note((await insist(() => tables.takeSeat(request, ATTEMPT)))?.table);
  };
  return (
    <section class="narrow table-page" data-status={TableStatus[table.status]}>
      <Title>{t("table.title", { host: table.host?.name ?? "" })}</Title>
      <p class="lead">{termsText(table)}</p>
      <ul class="seats" role="list">
        {[0, 1].map((place) => {
          const seat = table.seats[place];
          return (
            <li key={place} class="card" data-taken={seat === undefined ? "no" : "yes"}>
              {seat === undefined ? t("table.free") : <a href={`/player/${seat.player?.playerId ?? ""}`}>{seat.player?.name}</a>}
              {seat?.computer && <small> {t("table.computer")}</small>}
            </li>
          );
        })}
      </ul>
      {seated && free && (
        <>
          <p role="status">{t(table.visibility === TableVisibility.BY_LINK ? "table.waitingLink" : "table.waiting")}</p>
          <CopyField label={t("table.link")} text={`${location.origin}/table/${table.tableId}`} />
        </>
      )}
      {!free && <p role="status">{tKnown("tableStatus", TableStatus[table.status])}</p>}
      {problem !== null && (
        <p class="problem" role="alert" data-reason={refusalOf(problem).reason}>
          {refusalText(problem)}
        </p>
      )}
      {between && <RematchOffers offerBy={table.rematchOfferBy} tableId={table.tableId} />}
      <div class="buttons">
        {!seated && free && (
          <button type="button" disabled={busy} onClick={() => (person.value === null ? props.onSignIn() : act(sit))}>
            {t(person.value === null ? "table.signInToSit" : "table.sit")}
          </button>
        )}
        {table.gameId !== "" && (
          <a class="button quiet" href={`/game/${table.gameId}`}>
            {t("table.lastGame")}
          </a>
        )}
        {seated && !between && (
          <button type="button" class="quiet" disabled={busy} onClick={() => act(() => leaveTable(table.tableId))}>
            {t("table.leave")}
          </button>
        )}
      </div>
    </section>
  );
}
