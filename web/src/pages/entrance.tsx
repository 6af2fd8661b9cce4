// The entrance: where one can play for what, and what is being played now.

import { useEffect, useMemo } from "preact/hooks";

import { Board } from "../board/board.tsx";
import { Line, squaresOf } from "../game/line.ts";
import { LiveFeatured } from "../game/live-featured.ts";
import { LiveGame } from "../game/live-game.ts";
import { GameStatus, type FeaturedGameFrame, type GameSummary } from "../gen/stakemate/game/v1/game_service_pb.ts";
import type { City } from "../gen/stakemate/matchmaking/v1/matchmaking_service_pb.ts";
import { Color } from "../gen/stakemate/type/v1/color_pb.ts";
import { ClockFace } from "../parts/clock-face.tsx";
import { Loaded, Title, useEvery, useLoading } from "../parts/parts.tsx";
import { person } from "../session/session.ts";
import { minuteOfDay, money, percent, rating, timeControl } from "../text/format.ts";
import { capital, count, t } from "../text/text.ts";
import { games } from "../wire/clients/games.ts";
import { matchmaking } from "../wire/clients/matchmaking.ts";
import { unary } from "../wire/transport.ts";

const CITIES_EVERY_MS = 4_000;
const GAMES_EVERY_MS = 8_000;
const GAMES_SHOWN = 8;

/// The first page.
export function Entrance() {
  const [cities, readCities] = useLoading(async () => (await matchmaking.listCities({}, unary)).cities, []);
  const [live, readLive] = useLoading(liveGames, [person.value?.id]);
  useEvery(CITIES_EVERY_MS, readCities);
  useEvery(GAMES_EVERY_MS, readLive);
  const own = live.state === "ready" ? live.value.own : undefined;
  const featured = useMemo(() => new LiveFeatured(), []);
  useEffect(() => {
    featured.start();
    return () => featured.end();
  }, [featured]);
  // What stands below the cities would jump when they come.
  const known = cities.state !== "loading";
  const best = featured.game.value;
  const others = (live.state === "ready" ? live.value.all : []).filter((game) => game.gameId !== best?.gameId);
  return (
    <div class="entrance">
      <section aria-labelledby="cities">
        <Title>{t("entrance.title")}</Title>
        <p class="lead">{t("entrance.lead")}</p>
        {own !== undefined && (
          <p class="note running">
            {t("entrance.running")}{" "}
            <a class="button small" href={`/game/${own.gameId}`}>
              {t("entrance.return")}
            </a>
          </p>
        )}
        <h2 id="cities" class="unseen">
          {t("entrance.cities")}
        </h2>
        <Loaded from={cities} again={readCities}>
          {(all) => (
            <ul class="cities">
              {all.map((city) => (
                <CityCard key={city.cityId} city={city} />
              ))}
              <Unstaked />
            </ul>
          )}
        </Loaded>
      </section>
      {known && (
        <section class="now" aria-labelledby="now">
          <h2 id="now">{t("entrance.now")}</h2>
          {best !== null && best !== undefined && <Featured key={best.gameId} best={best} />}
          {best === null && others.length === 0 && <p class="empty">{t("entrance.noGames")}</p>}
          <ul class="games">
            {others.map((game) => (
              <li key={game.gameId}>
                <a href={`/game/${game.gameId}`}>
                  {game.white?.name} – {game.black?.name} <small>{timeControl(game.timeControl)}</small>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

async function liveGames(): Promise<{ own: GameSummary | undefined; all: GameSummary[] }> {
  const status = GameStatus.LIVE;
  const playerId = person.value?.id;
  const mine = playerId === undefined ? null : await games.listGames({ status, playerId, pageSize: 1 }, unary);
  const { games: all } = await games.listGames({ status, pageSize: GAMES_SHOWN }, unary);
  return { own: mine?.games[0], all };
}

function CityCard(props: { city: City }) {
  const { city } = props;
  const stake = city.stake;
  const pot = (stake?.minorUnits ?? 0n) * 2n;
  const fee = (pot * BigInt(city.feeBasisPoints)) / 10_000n;
  const prize = stake === undefined ? undefined : { ...stake, minorUnits: pot - fee };
  return (
    <li class="card city" data-city={city.cityId}>
      <div class="head">
        <h3>{city.name}</h3>
        <p class="stake">{money(stake)}</p>
      </div>
      <p class="terms">
        {t("city.prize", { prize: money(prize) })} · {t("city.fee", { fee: percent(city.feeBasisPoints) })}
      </p>
      {city.timeScale > 1 && <p class="terms">{capital(t("city.scale", { scale: city.timeScale }))}</p>}
      {city.open ? <Controls city={city} /> : <p class="note">{t("city.closed")}</p>}
      {city.openHours !== undefined && (
        <p class="terms">{t("city.hours", { from: minuteOfDay(city.openHours.opensMinute), to: minuteOfDay(city.openHours.closesMinute) })}</p>
      )}
      <p class="counts">
        <span>{count("city.waiting", city.waiting)}</span>
        <span>{count("city.playing", city.playing)}</span>
      </p>
    </li>
  );
}

/// What is played without a stake, beside what is played for one.
function Unstaked() {
  return (
    <li class="card city unstaked">
      <h3>{t("entrance.unstaked")}</h3>
      <p class="terms">{t("entrance.unstakedText")}</p>
      <div class="controls">
        <a class="button quiet" href="/tables">{t("tables.title")}</a>
        <a class="button quiet" href="/two">{t("two.title")}</a>
      </div>
    </li>
  );
}

function Controls(props: { city: City }) {
  const { city } = props;
  return (
    <div class="controls">
      {city.timeControls.map((control) => (
        <a
          key={timeControl(control)}
          class="button"
          href={`/play/${city.cityId}/${timeControl(control)}`}
          aria-label={t("city.play", { city: city.name, control: timeControl(control) })}
        >
          {timeControl(control)}
        </a>
      ))}
    </div>
  );
}

/// The best running game, live.
function Featured(props: { best: FeaturedGameFrame }) {
  const { best } = props;
  const game = useMemo(() => new LiveGame(best.gameId), [best.gameId]);
  const line = useMemo(() => new Line(), [best.gameId]);
  useEffect(() => {
    game.start();
    return () => game.end();
  }, [game]);
  const ucis = game.ucis.value;
  line.follow(ucis);
  return (
    <div class="featured" data-game={best.gameId}>
      <Nameplate game={game} side={Color.BLACK} name={best.black?.name} value={best.blackRating} />
      <Board
        position={line.at(ucis.length)}
        orientation="white"
        lastMove={squaresOf(ucis.at(-1))}
        label={t("entrance.featured")}
      />
      <Nameplate game={game} side={Color.WHITE} name={best.white?.name} value={best.whiteRating} />
      <a class="button quiet" href={`/game/${best.gameId}`}>
        {t("entrance.watch")}
      </a>
    </div>
  );
}

function Nameplate(props: { game: LiveGame; side: Color; name: string | undefined; value: number | undefined }) {
  return (
    <p class="plate">
      <span>
        {props.name ?? "…"} {props.value !== undefined && <small>{rating(props.value)}</small>}
      </span>
      <ClockFace game={props.game} side={props.side} voice="silent" />
    </p>
  );
}
