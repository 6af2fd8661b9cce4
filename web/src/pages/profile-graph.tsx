// A rating over time.

import { useLayoutEffect, useRef, useState } from "preact/hooks";

import type { GetRatingSeriesResponse } from "../gen/stakemate/rating/v1/rating_service_pb.ts";
import { Loaded, useLoading } from "../parts/parts.tsx";
import { day, rating } from "../text/format.ts";
import { t } from "../text/text.ts";
import { ratings } from "../wire/clients/ratings.ts";
import { unary } from "../wire/transport.ts";

const WIDTH = 600;
const HEIGHT = 200;
const LEFT = 44;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 26;
const POINTS_MAX = 300;
/// Periods that may be shown, in days; 0 is all there is.
const PERIODS = [0, 365, 90, 30];
const DAY_MS = 86_400_000;

/// The graph of a player's rating in a pool.
export function RatingGraph(props: { id: string; pool: string }) {
  const { id, pool } = props;
  const [days, setDays] = useState(0);
  const [series, again] = useLoading(async () => {
    const fromMs = days === 0 ? 0n : BigInt(Date.now() - days * DAY_MS);
    const [found, { pools }] = await Promise.all([
      ratings.getRatingSeries({ playerId: id, pool, fromMs, pointsMax: POINTS_MAX }, unary),
      ratings.listPools({}, unary),
    ]);
    return { found, start: days === 0 ? pools.find((one) => one.name === pool)?.ratingAtStart : undefined };
  }, [id, pool, days]);
  return (
    <div class="rating-history">
      <div class="options" role="group" aria-label={t("profile.period")}>
        {PERIODS.map((one) => (
          <button key={one} type="button" class="quiet" aria-pressed={one === days} onClick={() => setDays(one)}>
            {t(`period.${one}` as "period.0")}
          </button>
        ))}
      </div>
      <Loaded from={series} again={again}>
        {({ found, start }) => (found.ratings.length === 0 ? <p class="empty">{t("profile.noHistory")}</p> : <Graph series={found} start={start} />)}
      </Loaded>
    </div>
  );
}

/// The points; the first is what everybody starts with, when all is shown.
function pointsOf(series: GetRatingSeriesResponse, start: number | undefined): { atMs: number; value: number }[] {
  const points = series.ratings.map((value, index) => ({ atMs: Number(series.atMs[index]), value }));
  if (start === undefined) return points;
  const spanMs = points.at(-1)!.atMs - points[0]!.atMs;
  return [{ atMs: points[0]!.atMs - Math.max(spanMs / 25, 1_000), value: start }, ...points];
}

function Graph(props: { series: GetRatingSeriesResponse; start: number | undefined }) {
  const graph = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(WIDTH);
  // One unit is one pixel, so that the figures stay readable on a phone and the graph fills a desk's screen.
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(240, Math.round(entry!.contentRect.width))));
    observer.observe(graph.current!);
    return () => observer.disconnect();
  }, []);
  const points = pointsOf(props.series, props.start);
  const values = points.map((point) => point.value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const low = Math.floor((least - 20) / 50) * 50;
  const high = Math.ceil((most + 20) / 50) * 50;
  const fromMs = points[0]!.atMs;
  const spanMs = Math.max(1, points.at(-1)!.atMs - fromMs);
  const x = (atMs: number): number => LEFT + ((atMs - fromMs) / spanMs) * (width - LEFT - RIGHT);
  const y = (value: number): number => TOP + (1 - (value - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const trace = points.map((point) => `${x(point.atMs).toFixed(1)},${y(point.value).toFixed(1)}`).join(" ");
  const last = points.at(-1)!;
  const area = `${x(fromMs).toFixed(1)},${y(low)} ${trace} ${x(last.atMs).toFixed(1)},${y(low)}`;
  const words = t("profile.graph", { from: rating(values[0]!), to: rating(last.value), low: rating(least), high: rating(most) });
  const firstDay = day(Number(props.series.atMs[0]));
  const lastDay = day(last.atMs);
  return (
    <svg ref={graph} class="graph rating-graph" height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={words} data-points={points.length}>
      {[low, (low + high) / 2, high].map((value) => (
        <g key={value}>
          <line class="middle" x1={LEFT} x2={width - RIGHT} y1={y(value)} y2={y(value)} />
          <text x={LEFT - 8} y={y(value) + 4} text-anchor="end">
            {Math.round(value)}
          </text>
        </g>
      ))}
      <text x={LEFT} y={HEIGHT - 7}>{firstDay}</text>
      {lastDay !== firstDay && <text x={width - RIGHT} y={HEIGHT - 7} text-anchor="end">{lastDay}</text>}
      <polygon class="under" points={area} />
      <polyline class="trace" points={trace} />
      <circle class="end" cx={x(last.atMs)} cy={y(last.value)} r="4" />
    </svg>
  );
}
