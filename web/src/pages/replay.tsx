// A game move by move, from the log.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { Board } from "../board/board.tsx";
import { Captured } from "../board/captured.tsx";
import { moveWords } from "../board/words.ts";
import { announce } from "../announce.ts";
import { Line, squaresOf } from "../game/line.ts";
import { endText, resultText, shownScore } from "../game/words.ts";
import type { Game, Move } from "../gen/stakemate/game/v1/game_service_pb.ts";
import { useLookKeys } from "../parts/look-keys.ts";
import { Look } from "../parts/look.tsx";
import { copied } from "../parts/copy-field.tsx";
import { MoveList } from "../parts/move-list.tsx";
import { Loaded, Title, useLoading } from "../parts/parts.tsx";
import { person } from "../session/session.ts";
import { clock, moment, timeControl } from "../text/format.ts";
import { t } from "../text/text.ts";
import { games } from "../wire/clients/games.ts";
import { unary } from "../wire/transport.ts";
import { save } from "../parts/save.ts";
import { Evaluation } from "./replay-report.tsx";
import { ReportOpponent } from "./replay-report-opponent.tsx";

/// How fast a replay may run: with the time that each move took, with parts of it, or evenly.
const SPEEDS = ["original", "quick", "even"] as const;
type Speed = (typeof SPEEDS)[number];
const QUICK_FACTOR = 8;
const EVEN_MS = 900;
const SHOWN_MS_MIN = 150;

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
  const [speed, setSpeed] = useState<Speed>("original");

  const show = (wanted: number): void => {
    const next = Math.max(0, Math.min(moves.length, wanted));
    setPly(next);
    history.replaceState(null, "", `#${next}`);
    const move = moves[next - 1];
    if (move !== undefined) announce(moveWords(move.san));
  };
  useLookKeys({ show, ply, last: moves.length, flip: () => setFlipped((value) => !value), onBoard: "look" });
  usePlyOfAddress(show, moves.length);
  useEffect(() => {
    if (!playing) return undefined;
    if (ply >= moves.length) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => show(ply + 1), pauseMs(moves[ply]!, speed));
    return () => clearTimeout(timer);
  }, [playing, ply, speed]);

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
        <p class="ended">
          <strong>{shownScore(game.result)}</strong> {resultText(game.status, game.result)} {endText(game.endReason)}
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
        <Look shown={ply} last={moves.length} onShow={show} onFlip={() => setFlipped(!flipped)}>
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
        </Look>
        <fieldset class="speed">
          <legend>{t("replay.speed")}</legend>
          <div class="options">
            {SPEEDS.map((one) => (
              <label key={one} class="option">
                <input type="radio" name="speed" value={one} checked={one === speed} onChange={() => setSpeed(one)} />
                {t(`speed.${one}`)}
              </label>
            ))}
          </div>
        </fieldset>
        <Evaluation game={game} shown={ply} onShow={show} />
        <Share game={game} ply={ply} />
        <ReportOpponent game={game} />
      </aside>
    </div>
  );
}

/// How long the position before a move is shown.
function pauseMs(move: Move, speed: Speed): number {
  const tookMs = Number(move.elapsedMs);
  if (speed === "even") return EVEN_MS;
  return Math.max(SHOWN_MS_MIN, speed === "quick" ? tookMs / QUICK_FACTOR : tookMs);
}

function clockAt(game: Game, moves: Move[], ply: number, side: "white" | "black"): string {
  const move = moves[ply - 1];
  const start = Number(game.timeControl?.baseMs ?? 0);
  if (game.timeControl === undefined) return "∞";
  if (move === undefined) return clock(start);
  return clock(Number(side === "white" ? move.whiteClockMs : move.blackClockMs));
}

/// Follows a link to another ply of the game that is shown.
function usePlyOfAddress(show: (ply: number) => void, last: number): void {
  const latest = useRef({ show, last });
  latest.current = { show, last };
  useEffect(() => {
    const onHash = (): void => latest.current.show(plyOfAddress(latest.current.last));
    window.addEventListener("hashchange", onHash);
    return () => window.removeEventListener("hashchange", onHash);
  }, []);
}

/// PGN and links.
function Share(props: { game: Game; ply: number }) {
  const [said, setSaid] = useState("");
  const pgn = async (): Promise<string> => (await games.exportPgn({ gameId: props.game.gameId }, unary)).pgn;
  const copy = async (text: Promise<string>): Promise<void> => setSaid(await copied(text));
  const download = async (): Promise<void> => save(`stakemate-${props.game.gameId}.pgn`, "application/x-chess-pgn", await pgn());
  return (
    <div class="share">
      <div class="buttons">
        <button type="button" class="quiet" onClick={() => void copy(pgn())}>{t("share.copyPgn")}</button>
        <button type="button" class="quiet" onClick={() => void download().catch(() => setSaid(t("refusal.unreachable")))}>
          {t("share.downloadPgn")}
        </button>
        <button type="button" class="quiet whole" onClick={() => void copy(Promise.resolve(`${location.origin}/replay/${props.game.gameId}#${props.ply}`))}>
          {t("share.copyLink")}
        </button>
      </div>
      <p role="status" class="small">{said}</p>
    </div>
  );
}

