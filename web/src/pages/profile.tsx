// A player: ratings, how they went, and the games.

import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { score } from "../game/words.ts";
import { GameResult, GameStatus, type GameSummary } from "../gen/stakemate/game/v1/game_service_pb.ts";
import type { Rating, RatingChange } from "../gen/stakemate/rating/v1/rating_service_pb.ts";
import { Loaded, Title, useLoading } from "../parts/parts.tsx";
import { person, signOut } from "../session/session.ts";
import { moment, rating, timeControl } from "../text/format.ts";
import { count, t } from "../text/text.ts";
import { games, ratings, unary } from "../wire/transport.ts";

const PAGE = 20;
const HISTORY = 100;
const WIDTH = 600;
const HEIGHT = 180;

/// The page of a player.
export function Profile(props: { id: string }) {
  const { id } = props;
  const own = person.value?.id === id;
  const [page, again] = useLoading(() => games.listGames({ playerId: id, pageSize: PAGE }, unary), [id]);
  const [all, againRatings] = useLoading(async () => (await ratings.getRatings({ playerId: id }, unary)).ratings, [id]);
  const [pool, setPool] = useState<string | null>(null);
  const name = own ? person.value!.name : page.state === "ready" ? nameIn(page.value.games, id) : null;
  return (
    <section class="profile">
      <div class="heading">
        <Title>{name ?? t("profile.title")}</Title>
        {own && (
          <button type="button" class="quiet" onClick={() => void signOut()}>
            {t("profile.signOut")}
          </button>
        )}
      </div>
      <Loaded from={all} again={againRatings}>
        {(list) => {
          const shown = pool ?? mostPlayed(list)?.pool ?? null;
          return (
            <>
              <ul class="pools" role="list">
                {list.map((one) => (
                  <li key={one.pool}>
                    <button type="button" class="card pool" aria-pressed={one.pool === shown} data-pool={one.pool} onClick={() => setPool(one.pool)}>
                      <span>{one.pool}</span>
                      <strong>
                        {rating(one.rating)}
                        {one.provisional ? "?" : ""}
                      </strong>
                      <small>
                        {count("profile.games", one.games)}
                      </small>
                    </button>
                  </li>
                ))}
              </ul>
              {shown !== null && <History key={shown} id={id} pool={shown} />}
            </>
          );
        }}
      </Loaded>
      <h2>{t("profile.played")}</h2>
      <Loaded from={page} again={again}>
        {(first) => <Games id={id} first={first.games} token={first.nextPageToken} />}
      </Loaded>
    </section>
  );
}

function nameIn(list: GameSummary[], id: string): string | null {
  const game = list[0];
  return (game?.white?.playerId === id ? game.white.name : game?.black?.name) ?? null;
}

function mostPlayed(list: Rating[]): Rating | undefined {
  return [...list].sort((one, other) => other.games - one.games)[0];
}

function History(props: { id: string; pool: string }) {
  const request = { playerId: props.id, pool: props.pool, pageSize: HISTORY };
  const [history, again] = useLoading(async () => (await ratings.listRatingHistory(request, unary)).changes.reverse(), [props.id, props.pool]);
  return (
    <Loaded from={history} again={again}>
      {(changes) => (changes.length === 0 ? <p class="empty">{t("profile.noHistory")}</p> : <Graph changes={changes} />)}
    </Loaded>
  );
}

function Graph(props: { changes: RatingChange[] }) {
  const { changes } = props;
  const graph = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(WIDTH);
  // One unit is one pixel, so that the figures stay readable on a phone and the graph fills a desk's screen.
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(240, Math.round(entry!.contentRect.width))));
    observer.observe(graph.current!);
    return () => observer.disconnect();
  }, []);
  const values = [changes[0]!.before?.rating ?? 1500, ...changes.map((change) => change.after?.rating ?? 1500)];
  const low = Math.floor((Math.min(...values) - 20) / 50) * 50;
  const high = Math.ceil((Math.max(...values) + 20) / 50) * 50;
  const x = (index: number): number => 40 + (index / (values.length - 1)) * (width - 50);
  const y = (value: number): number => 10 + (1 - (value - low) / (high - low)) * (HEIGHT - 20);
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const last = values.at(-1)!;
  const words = t("profile.graph", { from: rating(values[0]!), to: rating(last), low: rating(Math.min(...values)), high: rating(Math.max(...values)) });
  const lines = [low, (low + high) / 2, high];
  return (
    <svg ref={graph} class="graph rating-graph" height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={words} data-points={values.length}>
      {lines.map((value) => (
        <g key={value}>
          <line class="middle" x1="40" x2={width - 10} y1={y(value)} y2={y(value)} />
          <text x="34" y={y(value) + 4} text-anchor="end">
            {Math.round(value)}
          </text>
        </g>
      ))}
      <polyline class="trace" points={points} />
      <circle class="end" cx={x(values.length - 1)} cy={y(last)} r="4" />
    </svg>
  );
}

function Games(props: { id: string; first: GameSummary[]; token: string }) {
  const [more, setMore] = useState<GameSummary[]>([]);
  const [token, setToken] = useState(props.token);
  const list = [...props.first, ...more];
  const next = async (): Promise<void> => {
    const page = await games.listGames({ playerId: props.id, pageSize: PAGE, pageToken: token }, unary);
    setMore([...more, ...page.games]);
    setToken(page.nextPageToken);
  };
  if (list.length === 0) return <p class="empty">{t("profile.noGames")}</p>;
  return (
    <>
      <ul class="played" role="list">
        {list.map((game) => (
          <li key={game.gameId} data-outcome={outcome(game, props.id)}>
            <a class="card" href={game.status === GameStatus.LIVE ? `/game/${game.gameId}` : `/replay/${game.gameId}`}>
              <span class="badge">{t(`outcome.${outcome(game, props.id)}`)}</span>
              <span class="pair">
                {game.white?.name} – {game.black?.name}
              </span>
              <span>{score(game.result)}</span>
              <small>
                {timeControl(game.timeControl)} · {moment(game.startedAtMs)}
              </small>
            </a>
          </li>
        ))}
      </ul>
      {token !== "" && (
        <button type="button" class="quiet" onClick={() => void next().catch(() => undefined)}>
          {t("action.more")}
        </button>
      )}
    </>
  );
}

function outcome(game: GameSummary, id: string): "won" | "lost" | "drawn" | "aborted" | "live" {
  if (game.status === GameStatus.LIVE) return "live";
  if (game.status === GameStatus.ABORTED) return "aborted";
  if (game.result === GameResult.DRAW) return "drawn";
  const white = game.white?.playerId === id;
  return white === (game.result === GameResult.WHITE_WINS) ? "won" : "lost";
}
