// A game: played by its players, watched by everybody else.

import { useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { announce } from "../announce.ts";
import { Board, type Side } from "../board/board.tsx";
import { Promotion } from "../board/promotion.tsx";
import { moveWords } from "../board/words.ts";
import { claimAt, Line, moveBetween, sanOf, squaresOf, typedMove } from "../game/line.ts";
import { LiveGame, sideOf } from "../game/live-game.ts";
import { clockOf, turnOf, type GameState } from "../game/state.ts";
import { endText, resultText } from "../game/words.ts";
import { DrawsSetting } from "../gen/stakemate/game/v1/rule_set_pb.ts";
import { GameStatus } from "../gen/stakemate/game/v1/game_service_pb.ts";
import { Color } from "../gen/stakemate/type/v1/color_pb.ts";
import { Look } from "../parts/look.tsx";
import { MoveList, type Entry } from "../parts/move-list.tsx";
import { Problem, Title } from "../parts/parts.tsx";
import { person } from "../session/session.ts";
import { settings } from "../settings.ts";
import { play } from "../sound.ts";
import { clock } from "../text/format.ts";
import { t } from "../text/text.ts";
import { refusalText } from "../wire/refusal.ts";
import { Actions, FirstMove, MoveInput } from "./game-actions.tsx";
import { Away } from "./game-presence.tsx";
import { PlayerBar } from "./game-player.tsx";
import { Result } from "./game-result.tsx";

/// The page of one game.
export function GamePage(props: { id: string }) {
  const game = useMemo(() => new LiveGame(props.id), [props.id]);
  useEffect(() => {
    game.start();
    return () => game.end();
  }, [game]);
  const state = game.state.value;
  if (game.failure.value !== null) return <Problem error={game.failure.value} />;
  if (state === null) return <p class="loading" role="status">{t("state.loading")}</p>;
  return <Play game={game} state={state} />;
}

function Play(props: { game: LiveGame; state: GameState }) {
  const { game, state } = props;
  const line = useMemo(() => new Line(), [game]);
  const mine = sideOf(state, person.value?.id);
  const own: Side | undefined = mine === Color.UNSPECIFIED ? undefined : mine === Color.BLACK ? "black" : "white";
  const [flipped, setFlipped] = useState(false);
  const [looked, setLooked] = useState<number | null>(null);
  const [promoting, setPromoting] = useState<string | null>(null);
  const [resets, setResets] = useState(0);
  const [refused, setRefused] = useState("");

  const ucis = game.ucis.value;
  const pending = game.pending.value;
  line.follow(ucis);
  const shown = looked === null ? ucis.length : Math.min(looked, ucis.length);
  const live = state.status === GameStatus.LIVE;
  const atEnd = shown === ucis.length;
  const unacknowledged = pending !== null && pending.stored === null;
  useNews(game, own);
  // Whoever plays is brought back from looking at former positions when there is a new one.
  useEffect(() => {
    if (own !== undefined) setLooked(null);
  }, [state.moves.length, own]);

  const send = (uci: string): void => {
    setPromoting(null);
    setRefused("");
    game.play(uci).catch((error: unknown) => {
      setRefused(refusalText(error));
      announce(refusalText(error), "urgent");
      setResets((value) => value + 1);
    });
  };
  const move = (from: string, to: string): void => {
    const between = moveBetween(line.at(ucis.length), from, to);
    if (between === null) return;
    if (!between.promotes) send(between.uci);
    else if (settings.value.autoQueen) send(`${between.uci}q`);
    else setPromoting(between.uci);
  };
  const typed = (text: string): boolean => {
    const uci = typedMove(line.at(ucis.length), text, true);
    if (uci !== null && canMove) send(uci);
    return uci !== null && canMove;
  };
  const look = (ply: number): void => setLooked(ply >= ucis.length ? null : Math.max(0, ply));
  useKeys({ look, shown, flip: () => setFlipped((value) => !value), game });

  const claim = state.game.draws === DrawsSetting.BY_CLAIM ? (claimAt(line, state.moves.length) ?? "none") : undefined;
  const turn: Side = turnOf(state) === Color.WHITE ? "white" : "black";
  const canMove = live && own !== undefined && pending === null && turn === own;
  const bottom: Side = (own ?? "white") === "white" ? (flipped ? "black" : "white") : flipped ? "white" : "black";
  const top: Side = bottom === "white" ? "black" : "white";
  const bar = (side: Side) => (
    <PlayerBar game={game} state={state} side={side} position={line.at(shown)} voice={side === own ? "mine" : "silent"} />
  );
  return (
    <div class="table" data-status={GameStatus[state.status]} data-plies={state.moves.length} data-link={game.link.value}>
      <Title>{titleOf(state)}</Title>
      <div class="play-area">
        {bar(top)}
        <Board
          position={line.at(shown)}
          orientation={bottom}
          lastMove={squaresOf(ucis[shown - 1])}
          mover={live && atEnd ? own : undefined}
          premoves
          pending={unacknowledged && atEnd}
          onMove={move}
          resets={resets}
          label={t("board.label", { white: state.game.white?.name ?? "", black: state.game.black?.name ?? "" })}
        />
        {bar(bottom)}
      </div>
      <aside class="side">
        <LinkNote game={game} live={live} />
        {live && <Away game={game} state={state} own={own} />}
        {live && <FirstMove game={game} state={state} own={own} />}
        <MoveList entries={entriesOf(state, game, line)} shown={shown} onShow={look} />
        <Look shown={shown} last={ucis.length} onShow={look} onFlip={() => setFlipped((value) => !value)} />
        {refused !== "" && <p class="problem" role="alert">{refused}</p>}
        {live && own !== undefined && <MoveInput onMove={typed} disabled={!canMove} />}
        {live && own !== undefined && <Actions game={game} state={state} mine={mine} claim={claim} />}
        {!live && <Result live={game} game={state.game} state={state} mine={mine} />}
      </aside>
      {promoting !== null && own !== undefined && (
        <Promotion
          side={own}
          onChoice={(piece) => {
            if (piece !== null) return send(promoting + piece);
            setPromoting(null);
            setResets((value) => value + 1);
          }}
        />
      )}
    </div>
  );
}

function titleOf(state: GameState): string {
  return `${state.game.white?.name ?? ""} – ${state.game.black?.name ?? ""}`;
}

function entriesOf(state: GameState, game: LiveGame, line: Line): Entry[] {
  const entries = state.moves.map((move) => ({ san: move.san, pending: false, creditMs: Number(move.lagCreditMs) }));
  const pending = game.pending.value;
  if (pending !== null && pending.ply === entries.length + 1) {
    const san = pending.stored?.san ?? sanOf(line.at(entries.length), pending.uci);
    entries.push({ san, pending: pending.stored === null, creditMs: 0 });
  }
  return entries;
}

/// Says and sounds what is new: moves, offers, the end.
function useNews(game: LiveGame, own: Side | undefined): void {
  const known = useRef<GameState | null>(null);
  useSignalEffect(() => {
    const now = game.state.value;
    const before = known.current;
    known.current = now;
    if (now === null || before === null || now === before) return;
    const move = now.moves.at(-1);
    if (now.moves.length > before.moves.length && move !== undefined) {
      const mover: Side = move.ply % 2 === 1 ? "white" : "black";
      announce(mover === own ? moveWords(move.san) : `${t(`side.${mover}`)}: ${moveWords(move.san)}`);
      play(/[+#]/.test(move.san) ? "check" : move.san.includes("x") ? "capture" : "move");
    }
    const offered = now.drawOfferBy !== Color.UNSPECIFIED && now.drawOfferBy !== before.drawOfferBy;
    if (offered && now.drawOfferBy !== sideOf(now, person.value?.id)) announce(t("draw.offered"), "urgent");
    for (const side of ["white", "black"] as const) {
      const [went, came] = [now.goneSinceMs[side] > 0, before.goneSinceMs[side] > 0];
      if (went !== came && side !== own) announce(t(went ? "away.gone" : "away.back", { side: t(`side.${side}`) }));
    }
    if (now.status !== before.status) {
      announce(`${resultText(now.status, now.result)} ${endText(now.endReason)}`, "urgent");
      play("end");
    }
  });
}

/// Keys that work everywhere on the page but in fields and on the board.
function useKeys(keys: { look: (ply: number) => void; shown: number; flip: () => void; game: LiveGame }): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target.closest("input, select, textarea, dialog, [role=application]")) return;
      const { look, shown, flip, game } = latest.current;
      const state = game.state.peek();
      if (event.key === "ArrowLeft") look(shown - 1);
      else if (event.key === "ArrowRight") look(shown + 1);
      else if (event.key === "Home") look(0);
      else if (event.key === "End") look(Number.MAX_SAFE_INTEGER);
      else if (event.key === "f") flip();
      else if (event.key === "c" && state !== null) announce(clocksText(state, game.serverMs()), "urgent");
      else if (event.key === "m") document.querySelector<HTMLInputElement>("#move-input")?.focus();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

function clocksText(state: GameState, serverMs: number): string {
  const of = (side: Color): string => clock(clockOf(state, side, serverMs));
  return t("clock.both", { white: of(Color.WHITE), black: of(Color.BLACK) });
}

function LinkNote(props: { game: LiveGame; live: boolean }) {
  const link = props.game.link.value;
  if (!props.live || link === "live") return null;
  return (
    <p class="note offline" role="status">
      {t("game.reconnecting")}
    </p>
  );
}
