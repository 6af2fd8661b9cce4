// Two people on one device: the board passes from hand to hand. Kept on the device, so that a reload loses nothing.

import { useMemo, useState } from "preact/hooks";

import { announce } from "../announce.ts";
import { Board, type Side } from "../board/board.tsx";
import { Captured } from "../board/captured.tsx";
import { Promotion } from "../board/promotion.tsx";
import { moveWords } from "../board/words.ts";
import { Line, moveBetween, sanOf, squaresOf, typedMove } from "../game/line.ts";
import { endAt, pgnOf, type End } from "../game/two.ts";
import { endText, resultText, shownScore } from "../game/words.ts";
import { EndReason, GameResult, GameStatus } from "../gen/stakemate/game/v1/game_service_pb.ts";
import { copied } from "../parts/copy-field.tsx";
import { useLookKeys } from "../parts/look-keys.ts";
import { Look } from "../parts/look.tsx";
import { MoveList } from "../parts/move-list.tsx";
import { Confirm, Title } from "../parts/parts.tsx";
import { save } from "../parts/save.ts";
import { settings } from "../settings.ts";
import { play } from "../sound.ts";
import { t } from "../text/text.ts";
import { MoveInput } from "./game-actions.tsx";

const KEPT = "stakemate.two";

interface Kept {
  ucis: string[];
  /// What the two have agreed on, or who has given up.
  said: End | null;
  /// Whether the board turns to whoever is on move.
  turning: boolean;
}

function read(): Kept {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Partial<Kept>;
    return { ucis: kept.ucis ?? [], said: kept.said ?? null, turning: kept.turning ?? true };
  } catch {
    return { ucis: [], said: null, turning: true };
  }
}

/// The page.
export function Two() {
  const [kept, setKept] = useState(read);
  const line = useMemo(() => new Line(), []);
  const [looked, setLooked] = useState<number | null>(null);
  const [flipped, setFlipped] = useState(false);
  const [promoting, setPromoting] = useState<string | null>(null);
  const [resets, setResets] = useState(0);
  const { ucis } = kept;
  line.follow(ucis);
  const keep = (change: Partial<Kept>): void => {
    const next = { ...kept, ...change };
    localStorage.setItem(KEPT, JSON.stringify(next));
    setKept(next);
  };
  const end = kept.said ?? endAt(line, ucis.length);
  const shown = looked === null ? ucis.length : Math.min(looked, ucis.length);
  const turn: Side = ucis.length % 2 === 0 ? "white" : "black";
  const made = (uci: string): void => {
    const san = sanOf(line.at(ucis.length), uci);
    const next = [...ucis, uci];
    line.follow(next);
    setPromoting(null);
    setLooked(null);
    keep({ ucis: next });
    const over = endAt(line, next.length);
    announce(over === null ? `${t(`side.${turn}`)}: ${moveWords(san)}` : words(over), over === null ? "polite" : "urgent");
    play(over !== null ? "end" : /[+#]/.test(san) ? "check" : san.includes("x") ? "capture" : "move");
  };
  const move = (from: string, to: string): void => {
    const between = moveBetween(line.at(ucis.length), from, to);
    if (between === null) return;
    if (!between.promotes) made(between.uci);
    else if (settings.value.autoQueen) made(`${between.uci}q`);
    else setPromoting(between.uci);
  };
  const typed = (text: string): boolean => {
    const uci = end === null ? typedMove(line.at(ucis.length), text, true) : null;
    if (uci !== null) made(uci);
    return uci !== null;
  };
  const look = (ply: number): void => setLooked(ply >= ucis.length ? null : Math.max(0, ply));
  const flip = (): void => setFlipped((value) => !value);
  useLookKeys({ show: look, ply: shown, last: ucis.length, flip, onBoard: "cursor" });
  const facing: Side = kept.turning && end === null ? turn : "white";
  const bottom: Side = flipped ? (facing === "white" ? "black" : "white") : facing;
  const bar = (side: Side) => (
    <div class="bar" data-side={side}>
      <span class={`dot ${side}`} aria-hidden="true" />
      <span class="name">{t(`side.${side}`)}</span>
      <Captured position={line.at(shown)} by={side} />
      {end === null && side === turn && <span class="to-move">{t("two.toMove")}</span>}
    </div>
  );
  return (
    <div class="table two" data-plies={ucis.length} data-over={end === null ? "no" : "yes"}>
      <Title>{t("two.title")}</Title>
      <div class="play-area">
        {bar(bottom === "white" ? "black" : "white")}
        <Board
          position={line.at(shown)}
          orientation={bottom}
          lastMove={squaresOf(ucis[shown - 1])}
          mover={end === null && shown === ucis.length ? turn : undefined}
          onMove={move}
          resets={resets}
          label={t("board.label", { white: t("side.white"), black: t("side.black") })}
        />
        {bar(bottom)}
      </div>
      <aside class="side">
        {end !== null && (
          <section class="result card" aria-label={t("result.title")} data-reason={EndReason[end.reason]}>
            <h2>
              <span class="score">{shownScore(end.result)}</span>
            </h2>
            <p>{words(end)}</p>
          </section>
        )}
        <MoveList entries={ucis.map((uci, index) => ({ san: sanOf(line.at(index), uci), pending: false, creditMs: 0 }))} shown={shown} onShow={look} />
        <Look shown={shown} last={ucis.length} onShow={look} onFlip={flip} />
        {end === null && <MoveInput onMove={typed} disabled={false} />}
        <Doings kept={kept} keep={keep} line={line} end={end} turn={turn} />
      </aside>
      {promoting !== null && (
        <Promotion
          side={turn}
          onChoice={(piece) => {
            if (piece !== null) return made(promoting + piece);
            setPromoting(null);
            setResets((value) => value + 1);
          }}
        />
      )}
    </div>
  );
}

function words(end: End): string {
  return `${resultText(GameStatus.ENDED, end.result)} ${endText(end.reason)}`;
}

/// Taking back, agreeing, giving up, beginning anew, and the game as a file.
function Doings(props: { kept: Kept; keep: (change: Partial<Kept>) => void; line: Line; end: End | null; turn: Side }) {
  const { kept, keep, line, end, turn } = props;
  const [asking, setAsking] = useState<"draw" | "resign" | "new" | null>(null);
  const [said, setSaid] = useState("");
  const finish = (how: End): void => {
    setAsking(null);
    keep({ said: how });
    announce(words(how), "urgent");
    play("end");
  };
  const begin = (): void => {
    setAsking(null);
    keep({ ucis: [], said: null });
  };
  const pgn = (): string => pgnOf(line, kept.ucis, end, new Date());
  const winner = turn === "white" ? GameResult.BLACK_WINS : GameResult.WHITE_WINS;
  return (
    <div class="actions">
      <label class="switch">
        <input type="checkbox" name="turning" checked={kept.turning} onChange={(event) => keep({ turning: event.currentTarget.checked })} />
        {t("two.turning")}
      </label>
      <div class="buttons">
        <button type="button" class="quiet" disabled={kept.ucis.length === 0} onClick={() => keep({ ucis: kept.ucis.slice(0, -1), said: null })}>
          {t("two.takeBack")}
        </button>
        <button type="button" class="quiet" disabled={kept.ucis.length === 0} onClick={() => (end === null ? setAsking("new") : begin())}>
          {t("two.again")}
        </button>
      </div>
      {end === null && (
        <div class="buttons">
          <button type="button" class="quiet" onClick={() => setAsking("draw")}>½ {t("two.draw")}</button>
          <button type="button" class="quiet danger" onClick={() => setAsking("resign")}>{t("resign.do")}</button>
        </div>
      )}
      <div class="buttons">
        <button type="button" class="quiet" onClick={() => void copied(Promise.resolve(pgn())).then(setSaid)}>{t("share.copyPgn")}</button>
        <button type="button" class="quiet" onClick={() => save("stakemate-two.pgn", "application/x-chess-pgn", pgn())}>{t("share.downloadPgn")}</button>
      </div>
      <p role="status" class="small">{said}</p>
      {asking === "draw" && (
        <Confirm tone="plain" question={t("two.drawSure")} yes={t("two.draw")} onYes={() => finish({ result: GameResult.DRAW, reason: EndReason.AGREEMENT })} onNo={() => setAsking(null)} />
      )}
      {asking === "resign" && (
        <Confirm tone="danger" question={t("two.resignSure", { side: t(`side.${turn}`) })} yes={t("resign.do")} onYes={() => finish({ result: winner, reason: EndReason.RESIGNATION })} onNo={() => setAsking(null)} />
      )}
      {asking === "new" && (
        <Confirm tone="plain" question={t("two.againSure")} yes={t("two.again")} onYes={begin} onNo={() => setAsking(null)} />
      )}
    </div>
  );
}
