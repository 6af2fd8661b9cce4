// What a player can do besides moving on the board.

import { useEffect, useState } from "preact/hooks";

import { announce } from "../announce.ts";
import type { Side } from "../board/board.tsx";
import { leaveTable } from "../game/leave-table.ts";
import type { LiveGame } from "../game/live-game.ts";
import { turnOf, type GameState } from "../game/state.ts";
import { Color } from "../gen/stakemate/type/v1/color_pb.ts";
import { Icon } from "../parts/icon.tsx";
import { Confirm } from "../parts/parts.tsx";
import { t } from "../text/text.ts";
import { refusalText } from "../wire/refusal.ts";

/// Draw and resignation, each asked twice or answered; a claim where the game's draws are claimed; and leaving its table.
export function Actions(props: { game: LiveGame; state: GameState; mine: Color; claim: "threefold" | "fiftyMoves" | "none" | undefined }) {
  const { game, state, mine, claim } = props;
  const [asking, setAsking] = useState<"resign" | "draw" | "claim" | "leave" | null>(null);
  useEffect(() => {
    if (claim !== undefined && claim !== "none") announce(t(`claim.${claim}`));
  }, [claim]);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const act = (work: Promise<void>): void => {
    setAsking(null);
    setProblem("");
    setBusy(true);
    work.catch((error: unknown) => setProblem(refusalText(error))).finally(() => setBusy(false));
  };
  const offered = state.drawOfferBy;
  const left = game.offersLeft.value;
  return (
    <div class="actions">
      {offered !== Color.UNSPECIFIED && offered !== mine && (
        <div class="offer" role="alertdialog" aria-label={t("draw.offered")}>
          <p>{t("draw.offered")}</p>
          <div class="buttons">
            <button type="button" disabled={busy} onClick={() => act(game.answerDraw("accept"))}>
              {t("draw.accept")}
            </button>
            <button type="button" class="quiet" disabled={busy} onClick={() => act(game.answerDraw("decline"))}>
              {t("draw.decline")}
            </button>
          </div>
        </div>
      )}
      {offered === mine && <p class="note">{t("draw.waiting")}</p>}
      <div class="buttons">
        <button
          type="button"
          class="quiet"
          disabled={busy || offered !== Color.UNSPECIFIED || left === 0}
          onClick={() => setAsking("draw")}
        >
          ½ {t("draw.offer")}
        </button>
        <button type="button" class="quiet danger" disabled={busy} onClick={() => setAsking("resign")}>
          <Icon name="flag" /> {t("resign.do")}
        </button>
      </div>
      {claim !== undefined && (
        <div class="claim" data-claim={claim}>
          <button type="button" class={claim === "none" ? "quiet" : ""} disabled={busy || claim === "none"} onClick={() => setAsking("claim")}>
            {t("claim.do")}
          </button>
          <p class="small">{t(`claim.${claim}`)}</p>
        </div>
      )}
      {/* Where it does not lose, the game has to be ended before its table can be left. */}
      {state.game.leavingTableLoses && (
        <button type="button" class="quiet" disabled={busy} onClick={() => setAsking("leave")}>
          {t("table.leave")}
        </button>
      )}
      {left !== null && <p class="small">{t("draw.left", { n: left })}</p>}
      {problem !== "" && <p class="problem" role="alert">{problem}</p>}
      {asking === "resign" && (
        <Confirm tone="danger" question={t(state.game.stake === undefined ? "resign.sureCasual" : "resign.sure")} yes={t("resign.do")} onYes={() => act(game.resign())} onNo={() => setAsking(null)} />
      )}
      {asking === "claim" && (
        <Confirm tone="plain" question={t("claim.sure")} yes={t("claim.do")} onYes={() => act(game.claimDraw())} onNo={() => setAsking(null)} />
      )}
      {asking === "leave" && (
        <Confirm tone="danger" question={t("table.leaveSure")} yes={t("table.leave")} onYes={() => act(leaveTable(state.game.tableId))} onNo={() => setAsking(null)} />
      )}
      {asking === "draw" && (
        <Confirm tone="plain" question={t("draw.sure")} yes={t("draw.offer")} onYes={() => act(game.offerDraw())} onNo={() => setAsking(null)} />
      )}
    </div>
  );
}

/// How long the first move may still take.
export function FirstMove(props: { game: LiveGame; state: GameState; own: Side | undefined }) {
  const { game, state, own } = props;
  const [, tick] = useState(0);
  const due = state.firstMoveDueMs;
  useEffect(() => {
    if (due === 0) return undefined;
    const timer = setInterval(() => tick((value) => value + 1), 250);
    return () => clearInterval(timer);
  }, [due]);
  if (due === 0) return null;
  const seconds = Math.max(0, Math.ceil((due - game.serverMs()) / 1_000));
  const turn: Side = turnOf(state) === Color.WHITE ? "white" : "black";
  return (
    <p class="note first-move" data-seconds={seconds}>
      {turn === own ? t("first.yours", { seconds }) : t("first.theirs", { seconds, side: t(`side.${turn}`) })}
    </p>
  );
}

/// Moves typed in standard notation or as two squares.
export function MoveInput(props: { onMove: (text: string) => boolean; disabled: boolean }) {
  const [text, setText] = useState("");
  const [bad, setBad] = useState(false);
  return (
    <form
      class="typed"
      onSubmit={(event) => {
        event.preventDefault();
        const done = props.onMove(text);
        setBad(!done && text.trim() !== "");
        if (done) setText("");
      }}
    >
      <label for="move-input">{t("typed.label")}</label>
      <input
        id="move-input"
        value={text}
        placeholder="Nf3, e2e4, O-O"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        enterkeyhint="send"
        aria-invalid={bad}
        aria-describedby="move-problem"
        onInput={(event) => {
          setText(event.currentTarget.value);
          setBad(false);
        }}
      />
      <button type="submit" class="quiet" disabled={props.disabled}>
        {t("typed.do")}
      </button>
      <p id="move-problem" class="problem" role="alert">
        {bad ? t("typed.bad") : ""}
      </p>
    </form>
  );
}
