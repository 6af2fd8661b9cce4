// After a game at a table: another one, with colours swapped.

import { useEffect, useState } from "preact/hooks";

import { announce } from "../announce.ts";
import { leaveTable } from "../game/leave-table.ts";
import type { LiveGame } from "../game/live-game.ts";
import { RematchAnswer, TableStatus } from "../gen/stakemate/game/v1/table_service_pb.ts";
import { Color } from "../gen/stakemate/type/v1/color_pb.ts";
import { useLoading } from "../parts/parts.tsx";
import { go } from "../router.ts";
import { person } from "../session/session.ts";
import { play } from "../sound.ts";
import { t } from "../text/text.ts";
import { tables } from "../wire/clients/tables.ts";
import { ATTEMPT, insist } from "../wire/insist.ts";
import { refusalText } from "../wire/refusal.ts";
import { requestId } from "../wire/request-id.ts";
import { unary } from "../wire/transport.ts";

/// Offers, answers, and the way to the next game. A player is taken there; who looks on is shown the way.
export function Rematch(props: { live: LiveGame; tableId: string; mine: Color }) {
  const { live, tableId } = props;
  const { offerBy, nextGameId, open } = live.rematch.value;
  const plays = props.mine !== Color.UNSPECIFIED;
  useEffect(() => {
    if (nextGameId === "" || !plays) return;
    play("check");
    go(`/game/${nextGameId}`);
  }, [nextGameId]);
  if (nextGameId !== "") {
    return (
      <a class="button next-game" href={`/game/${nextGameId}`}>
        {t("rematch.next")}
      </a>
    );
  }
  if (!plays) return null;
  return open ? <RematchOffers offerBy={offerBy} tableId={tableId} /> : <Afterwards tableId={tableId} gameId={live.id} />;
}

/// The offers of those who still sit there.
export function RematchOffers(props: { offerBy: string; tableId: string }) {
  const { offerBy, tableId } = props;
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const own = offerBy !== "" && offerBy === person.value?.id;
  const theirs = offerBy !== "" && !own;
  useEffect(() => {
    if (theirs) announce(t("rematch.offered"), "urgent");
  }, [theirs]);
  const act = (work: Promise<unknown>): void => {
    setBusy(true);
    setProblem("");
    work.catch((error: unknown) => setProblem(refusalText(error))).finally(() => setBusy(false));
  };
  return (
    <div class="rematch" data-offer={own ? "mine" : theirs ? "theirs" : "none"}>
      {theirs && (
        <div class="offer" role="alertdialog" aria-label={t("rematch.offered")}>
          <p>{t("rematch.offered")}</p>
          <div class="buttons">
            <button type="button" disabled={busy} onClick={() => act(answer(tableId, RematchAnswer.ACCEPT))}>
              {t("draw.accept")}
            </button>
            <button type="button" class="quiet" disabled={busy} onClick={() => act(answer(tableId, RematchAnswer.DECLINE))}>
              {t("draw.decline")}
            </button>
          </div>
        </div>
      )}
      {own && <p class="note" role="status">{t("rematch.waiting")}</p>}
      <div class="buttons">
        {offerBy === "" && (
          <button type="button" disabled={busy} onClick={() => act(offer(tableId))}>
            {t("rematch.offer")}
          </button>
        )}
        <button type="button" class="quiet" disabled={busy} onClick={() => act(leaveTable(tableId))}>
          {t("table.leave")}
        </button>
      </div>
      {problem !== "" && <p class="problem" role="alert">{problem}</p>}
    </div>
  );
}

/// A game's stream tells of its table for some minutes only; then the table itself is asked.
function Afterwards(props: { tableId: string; gameId: string }) {
  const [found] = useLoading(async () => (await tables.getTable({ tableId: props.tableId }, unary)).table, [props.tableId]);
  if (found.state === "loading") return null;
  const table = found.state === "ready" ? found.value : undefined;
  const still = table?.status === TableStatus.BETWEEN_GAMES && table.gameId === props.gameId;
  return (
    <div class="rematch" data-offer="none">
      {!still && <p role="status">{t("rematch.over")}</p>}
      <a class="button quiet" href={still ? `/table/${props.tableId}` : "/tables"}>
        {t(still ? "rematch.atTable" : "tables.title")}
      </a>
    </div>
  );
}

function offer(tableId: string): Promise<unknown> {
  const request = { requestId: requestId(), tableId };
  return insist(() => tables.offerRematch(request, ATTEMPT));
}

function answer(tableId: string, said: RematchAnswer): Promise<unknown> {
  const request = { requestId: requestId(), tableId, answer: said };
  return insist(() => tables.answerRematch(request, ATTEMPT));
}
