// A game move by move, from the log.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { Board } from "../board/board.tsx";
import { Captured } from "../board/captured.tsx";
import { moveWords } from "../board/words.ts";
import { announce } from "../announce.ts";
import { Line, squaresOf } from "../game/line.ts";
import { endText, resultText, score } from "../game/words.ts";
import type { Game, Move } from "../gen/stakemate/game/v1/game_service_pb.ts";
import { Icon } from "../parts/icon.tsx";
import { MoveList } from "../parts/move-list.tsx";
import { Loaded, Title, useLoading } from "../parts/parts.tsx";
import { person } from "../session/session.ts";
import { clock, moment, timeControl } from "../text/format.ts";
import { t } from "../text/text.ts";
import { games, unary } from "../wire/transport.ts";
import { save } from "../parts/save.ts";
import { Evaluation } from "./replay-report.tsx";
import { ReportOpponent } from "./replay-report-opponent.tsx";

/// A long think is shown no longer than this.
const THINK_MS_MAX = 8_000;
const THINK_MS_MIN = 150;

interface Played {
  game: Game;
  moves: Move[];
}

/// The replay of a game; `#12` in the address is a ply.
export function Replay(props: { id: string }) {
  const [played, again] = useLoading(() => load(props.id), [props.id]);
  return (
    <Loaded from={played} again={again}>
      {(value) => <Show played={value} />}
    </Loaded>
  );
}

/// The moves come from the log's own replay; names and result from the game.
async function load(gameId: string): Promise<Played> {
  const [{ game }, moves] = await Promise.all([games.getGame({ gameId }, unary), replayed(gameId)]);
  return { game: game!, moves };
}

async function replayed(gameId: string): Promise<Move[]> {
  const moves: Move[] = [];
  for await (const frame of games.replayGame({ gameId })) {
    if (frame.move !== undefined) moves.push(frame.move);
  }
  return moves;
}

function plyOfAddress(last: number): number {
  const ply = Number.parseInt(location.hash.slice(1), 10);
  return Number.isNaN(ply) ? last : Math.max(0, Math.min(last, ply));
}

function Show(props: { played: Played }) {
  const { game, moves } = props.played;
  const line = useMemo(() => {
    const fresh = new Line();
    fresh.follow(moves.map((move) => move.uci));
    return fresh;
  }, [moves]);
  const [ply, setPly] = useState(() => plyOfAddress(moves.length));
  const [flipped, setFlipped] = useState(game.black?.playerId === person.value?.id);
  const [playing, setPlaying] = useState(false);

  const show = (wanted: number): void => {
    const next = Math.max(0, Math.min(moves.length, wanted));
    setPly(next);
    history.replaceState(null, "", `#${next}`);
    const move = moves[next - 1];
    if (move !== undefined) announce(moveWords(move.san));
  };
  useReplayKeys(show, ply, moves.length, () => setFlipped((value) => !value));
  useEffect(() => {
    if (!playing) return undefined;
    if (ply >= moves.length) {
      setPlaying(false);
      return undefined;
    }
    const thinkMs = Number(moves[ply]!.elapsedMs) / Math.max(1, game.timeScale);
    const timer = setTimeout(() => show(ply + 1), Math.max(THINK_MS_MIN, Math.min(THINK_MS_MAX, thinkMs)));
    return () => clearTimeout(timer);
  }, [playing, ply]);

  const bottom = flipped ? "black" : "white";
  const top = flipped ? "white" : "black";
  const bar = (side: "white" | "black") => {
    const player = side === "white" ? game.white : game.black;
    return (
      <div class="bar" data-side={side}>
        <span class={`dot ${side}`} role="img" aria-label={t(`side.${side}`)} />
        <a class="name" href={`/player/${player?.playerId ?? ""}`}>{player?.name}</a>
        <Captured position={line.at(ply)} by={side} />
        <span class="clock">{clockAt(game, moves, ply, side)}</span>
      </div>
    );
  };
  return (
    <div class="table replay" data-ply={ply}>
      <Title>{`${game.white?.name ?? ""} – ${game.black?.name ?? ""}`}</Title>
      <div class="play-area">
        {bar(top)}
        <Board
          position={line.at(ply)}
          orientation={bottom}
          lastMove={squaresOf(moves[ply - 1]?.uci)}
          label={t("board.label", { white: game.white?.name ?? "", black: game.black?.name ?? "" })}
        />
        {bar(bottom)}
      </div>
      <aside class="side">
        <p class="facts">
          <strong>{score(game.result)}</strong> {resultText(game.status, game.result)} {endText(game.endReason)}
          <br />
          <small>
            {timeControl(game.timeControl)} · {moment(game.startedAtMs)}
          </small>
        </p>
        <MoveList
          entries={moves.map((move) => ({ san: move.san, pending: false, creditMs: Number(move.lagCreditMs) }))}
          shown={ply}
          onShow={show}
        />
        <div class="look">
          <button type="button" aria-label={t("look.first")} disabled={ply === 0} onClick={() => show(0)}><Icon name="first" /></button>
          <button type="button" aria-label={t("look.back")} disabled={ply === 0} onClick={() => show(ply - 1)}><Icon name="back" /></button>
          <button
            type="button"
            class="wide"
            aria-pressed={playing}
            disabled={moves.length === 0}
            onClick={() => {
              if (!playing && ply === moves.length) show(0);
              setPlaying(!playing);
            }}
          >
            {playing ? t("replay.pause") : t("replay.play")}
          </button>
          <button type="button" aria-label={t("look.on")} disabled={ply === moves.length} onClick={() => show(ply + 1)}><Icon name="on" /></button>
          <button type="button" aria-label={t("look.last")} disabled={ply === moves.length} onClick={() => show(moves.length)}><Icon name="last" /></button>
          <button type="button" aria-label={t("look.flip")} onClick={() => setFlipped(!flipped)}><Icon name="flip" /></button>
        </div>
        <Evaluation game={game} shown={ply} onShow={show} />
        <Share game={game} ply={ply} />
        <ReportOpponent game={game} />
      </aside>
    </div>
  );
}

function clockAt(game: Game, moves: Move[], ply: number, side: "white" | "black"): string {
  const move = moves[ply - 1];
  const start = Number(game.timeControl?.baseMs ?? 0);
  if (game.timeControl === undefined) return "∞";
  if (move === undefined) return clock(start);
  return clock(Number(side === "white" ? move.whiteClockMs : move.blackClockMs));
}

function useReplayKeys(show: (ply: number) => void, ply: number, last: number, flip: () => void): void {
  const latest = useRef({ show, ply, last, flip });
  latest.current = { show, ply, last, flip };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if ((event.target as HTMLElement).closest("input, select, textarea, dialog")) return;
      const now = latest.current;
      if (event.key === "ArrowLeft") now.show(now.ply - 1);
      else if (event.key === "ArrowRight") now.show(now.ply + 1);
      else if (event.key === "Home") now.show(0);
      else if (event.key === "End") now.show(now.last);
      else if (event.key === "f") now.flip();
      else return;
      event.preventDefault();
    };
    const onHash = (): void => latest.current.show(plyOfAddress(latest.current.last));
    // Before the board's own cursor: here arrows turn the pages.
    window.addEventListener("keydown", onKey, true);
    window.addEventListener("hashchange", onHash);
    return () => {
      window.removeEventListener("keydown", onKey, true);
      window.removeEventListener("hashchange", onHash);
    };
  }, []);
}

/// PGN and links.
function Share(props: { game: Game; ply: number }) {
  const [said, setSaid] = useState("");
  const pgn = async (): Promise<string> => (await games.exportPgn({ gameId: props.game.gameId }, unary)).pgn;
  const copy = async (text: Promise<string>): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await text);
      setSaid(t("share.copied"));
    } catch {
      setSaid(t("share.notCopied"));
    }
  };
  const download = async (): Promise<void> => save(`stakemate-${props.game.gameId}.pgn`, "application/x-chess-pgn", await pgn());
  return (
    <div class="share">
      <div class="buttons">
        <button type="button" class="quiet" onClick={() => void copy(pgn())}>{t("share.copyPgn")}</button>
        <button type="button" class="quiet" onClick={() => void download().catch(() => setSaid(t("refusal.unreachable")))}>
          {t("share.downloadPgn")}
        </button>
        <button type="button" class="quiet" onClick={() => void copy(Promise.resolve(`${location.origin}/replay/${props.game.gameId}#${props.ply}`))}>
          {t("share.copyLink")}
        </button>
      </div>
      <p role="status" class="small">{said}</p>
    </div>
  );
}

