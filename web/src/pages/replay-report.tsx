// What the engine's report says of a game: the evaluation as a graph, and each side in figures.

import { useState } from "preact/hooks";

import { AnalysisStatus, type GameReport, type PlyReport, type SideReport } from "../gen/stakemate/fairplay/v1/fairplay_service_pb.ts";
import type { Evaluation as Score } from "../gen/stakemate/fairplay/v1/fairplay_service_pb.ts";
import { GameStatus, type Game } from "../gen/stakemate/game/v1/game_service_pb.ts";
import { useEvery, useLoading } from "../parts/parts.tsx";
import { hasRole, person } from "../session/session.ts";
import { numbers } from "../text/formatters.ts";
import { language, t } from "../text/text.ts";
import { fairplay } from "../wire/clients/fairplay.ts";
import { unary } from "../wire/transport.ts";

const ASK_EVERY_MS = 2_000;
const WIDTH = 320;
const HEIGHT = 90;

/// The report, for those who may read it; nothing for others.
export function Evaluation(props: { game: Game; shown: number; onShow: (ply: number) => void }) {
  const me = person.value?.id;
  const plays = me !== undefined && [props.game.white?.playerId, props.game.black?.playerId].includes(me);
  const reads = plays || hasRole("moderator", "operator");
  const [done, setDone] = useState(!reads || props.game.status !== GameStatus.ENDED);
  const [answer, again] = useLoading(async () => {
    if (done) return null;
    const got = await fairplay.getGameReport({ gameId: props.game.gameId }, unary);
    if (got.status === AnalysisStatus.READY || got.status === AnalysisStatus.PARKED) setDone(true);
    return got;
  }, [props.game.gameId]);
  useEvery(ASK_EVERY_MS, () => {
    if (!done) again();
  });
  if (answer.state !== "ready" || answer.value === null) return null;
  const { status, report } = answer.value;
  if (report === undefined) {
    return <p class="small" role="status">{t(status === AnalysisStatus.PARKED ? "report.parked" : "report.waiting")}</p>;
  }
  return <Report report={report} shown={props.shown} onShow={props.onShow} />;
}

function Report(props: { report: GameReport; shown: number; onShow: (ply: number) => void }) {
  const { report } = props;
  return (
    <section class="report" aria-label={t("report.title")}>
      <h2>{t("report.title")}</h2>
      <Graph plies={report.plies} shown={props.shown} onShow={props.onShow} />
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col">{t("side.white")}</th>
            <th scope="col">{t("side.black")}</th>
          </tr>
        </thead>
        <tbody>
          <Line name={t("report.accuracy")} report={report} value={(side) => decimal(side.accuracy)} />
          <Line name={t("report.inaccuracies")} report={report} value={(side) => String(side.inaccuracies)} />
          <Line name={t("report.mistakes")} report={report} value={(side) => String(side.mistakes)} />
          <Line name={t("report.blunders")} report={report} value={(side) => String(side.blunders)} />
        </tbody>
      </table>
      <p class="small">{t("report.by", { engine: report.engine })}</p>
    </section>
  );
}

function Line(props: { name: string; report: GameReport; value: (side: SideReport) => string }) {
  const { white, black } = props.report;
  return (
    <tr>
      <th scope="row">{props.name}</th>
      <td>{white && props.value(white)}</td>
      <td>{black && props.value(black)}</td>
    </tr>
  );
}

function decimal(value: number): string {
  return numbers(language.value, { maximumFractionDigits: 1 }).format(value);
}

/// White's chance to win, from 0 to 1.
export function chance(score: Score | undefined, ply: number): number {
  if (score?.score.case === "mateIn") {
    const moves = score.score.value;
    // Mate on the board: whoever moved last has won.
    if (moves === 0) return ply % 2 === 1 ? 1 : 0;
    return moves > 0 ? 1 : 0;
  }
  const centipawns = score?.score.case === "centipawns" ? score.score.value : 0;
  return 1 / (1 + Math.exp(-0.00368208 * centipawns));
}

function Graph(props: { plies: PlyReport[]; shown: number; onShow: (ply: number) => void }) {
  const { plies } = props;
  if (plies.length === 0) return null;
  const x = (ply: number): number => (ply / plies.length) * WIDTH;
  const y = (value: number): number => (1 - value) * HEIGHT;
  const points = plies.map((ply) => `${x(ply.ply).toFixed(1)},${y(chance(ply.after, ply.ply)).toFixed(1)}`);
  const first = `0,${y(chance(plies[0]?.before, 0)).toFixed(1)}`;
  const area = `0,${HEIGHT} ${first} ${points.join(" ")} ${WIDTH},${HEIGHT}`;
  const onClick = (event: MouseEvent): void => {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect();
    props.onShow(Math.round(((event.clientX - box.left) / box.width) * plies.length));
  };
  return (
    <svg class="graph" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={t("report.graph")} onClick={onClick}>
      <rect class="ground" width={WIDTH} height={HEIGHT} />
      <polygon class="area" points={area} />
      <line class="middle" x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      <line class="here" x1={x(props.shown)} x2={x(props.shown)} y1="0" y2={HEIGHT} />
    </svg>
  );
}
