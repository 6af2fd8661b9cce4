// A player: ratings, how they went, and the games.

import { useState } from "preact/hooks";

import { poolName } from "../game/words.ts";
import type { GameSummary } from "../gen/stakemate/game/v1/game_service_pb.ts";
import type { Rating } from "../gen/stakemate/rating/v1/rating_service_pb.ts";
import { Loaded, Title, useLoading } from "../parts/parts.tsx";
import { person, signOut } from "../session/session.ts";
import { rating } from "../text/format.ts";
import { count, t } from "../text/text.ts";
import { games } from "../wire/clients/games.ts";
import { ratings } from "../wire/clients/ratings.ts";
import { unary } from "../wire/transport.ts";
import { PlayedGames, StatisticsCard } from "./profile-games.tsx";
import { RatingGraph } from "./profile-graph.tsx";

/// The page of a player.
export function Profile(props: { id: string }) {
  const { id } = props;
  const own = person.value?.id === id;
  const [one] = useLoading(async () => (await games.listGames({ playerId: id, pageSize: 1 }, unary)).games, [id]);
  const [all, again] = useLoading(async () => (await ratings.getRatings({ playerId: id }, unary)).ratings, [id]);
  const [pool, setPool] = useState<string | null>(null);
  const name = own ? person.value!.name : one.state === "ready" ? nameIn(one.value, id) : null;
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
      <Loaded from={all} again={again}>
        {(list) => {
          const shown = pool ?? mostPlayed(list)?.pool ?? null;
          return (
            <>
              <ul class="pools" role="list">
                {list.map((one) => (
                  <li key={one.pool}>
                    <button type="button" class="card pool" aria-pressed={one.pool === shown} data-pool={one.pool} onClick={() => setPool(one.pool)}>
                      <span>{poolName(one.pool)}</span>
                      <strong>
                        {rating(one.rating)}
                        {one.provisional ? "?" : ""}
                      </strong>
                      <small>{count("profile.games", one.games)}</small>
                    </button>
                  </li>
                ))}
              </ul>
              {shown !== null && <RatingGraph key={shown} id={id} pool={shown} />}
              <StatisticsCard id={id} />
              <PlayedGames id={id} />
            </>
          );
        }}
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
