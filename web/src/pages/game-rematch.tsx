// After a game at a table: another one, with colours swapped.

import { useEffect, useState } from "preact/hooks";

import { announce } from "../announce.ts";
import { leaveTable } from "../game/leave-table.ts";
import type { LiveGame } from "../game/live-game.ts";
import { RematchAnswer } from "../gen/stakemate/game/v1/table_service_pb.ts";
import { Color } from "../gen/stakemate/type/v1/color_pb.ts";
import { go } from "../router.ts";
import { person } from "../session/session.ts";
import { play } from "../sound.ts";
import { t } from "../text/text.ts";
import { ATTEMPT, insist } from "../wire/insist.ts";
import { refusalText } from "../wire/refusal.ts";
import { requestId } from "../wire/request-id.ts";
import { tables } from "../wire/transport.ts";

/// Offers, answers, and the way to the next game. A player is taken there; who looks on is shown the way.
export function Rematch(props: { live: LiveGame; tableId: string; mine: Color }) {
  const { live, tableId } = props;
  const { offerBy, nextGameId, open } = live.rematch.value;
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const plays = props.mine !== Color.UNSPECIFIED;
  const own = offerBy !== "" && offerBy === person.value?.id;
  const theirs = offerBy !== "" && !own;
  useEffect(() => {
    if (theirs && plays) announce(t("rematch.offered"), "urgent");
  }, [theirs]);
  useEffect(() => {
    if (nextGameId === "" || !plays) return;
    play("check");
    go(`/game/${nextGameId}`);
  }, [nextGameId]);
  const act = (work: Promise<unknown>): void => {
    setBusy(true);
    setProblem("");
    work.catch((error: unknown) => setProblem(refusalText(error))).finally(() => setBusy(false));
  };
  if (nextGameId !== "") {
    return (
      <a class="button next-game" href={`/game/${nextGameId}`}>
        {t("rematch.next")}
      </a>
    );
  }
  if (!plays) return null;
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
      {!open && <p role="status">{t("rematch.over")}</p>}
      <div class="buttons">
        {open && offerBy === "" && (
          <button type="button" disabled={busy} onClick={() => act(offer(tableId))}>
            {t("rematch.offer")}
          </button>
        )}
        {open && (
          <button type="button" class="quiet" disabled={busy} onClick={() => act(leaveTable(tableId))}>
            {t("table.leave")}
          </button>
        )}
        {!open && (
          <a class="button quiet" href="/tables">
            {t("tables.title")}
          </a>
        )}
      </div>
      {problem !== "" && <p class="problem" role="alert">{problem}</p>}
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
