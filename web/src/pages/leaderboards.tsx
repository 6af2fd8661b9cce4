// The best of each pool, and where one stands oneself.

import { useState } from "preact/hooks";

import { poolName } from "../game/words.ts";
import type { LeaderboardEntry } from "../gen/stakemate/rating/v1/rating_service_pb.ts";
import { Loaded, Title, useLoading } from "../parts/parts.tsx";
import { person } from "../session/session.ts";
import { rating } from "../text/format.ts";
import { numbers } from "../text/formatters.ts";
import { count, language, t } from "../text/text.ts";
import { ratings } from "../wire/clients/ratings.ts";
import { refusalOf, refusalText } from "../wire/refusal.ts";
import { unary } from "../wire/transport.ts";

const PAGE = 50;
/// So many lines on either side of one's own.
const NEIGHBOURS = 3;

/// The page, as `/leaderboards/3+2`; without a pool the first.
export function Leaderboards(props: { pool?: string }) {
  const [pools, again] = useLoading(async () => (await ratings.listPools({}, unary)).pools, []);
  return (
    <section class="leaderboards">
      <Title>{t("leaders.title")}</Title>
      <p class="lead">{t("leaders.lead")}</p>
      <Loaded from={pools} again={again}>
        {(all) => {
          const shown = props.pool ?? all[0]?.name ?? "";
          return (
            <>
              <nav class="options" aria-label={t("leaders.pools")}>
                {all.map((pool) => (
                  <a key={pool.name} class="button quiet" href={`/leaderboards/${pool.name}`} aria-current={pool.name === shown ? "page" : undefined}>
                    {poolName(pool.name)}
                  </a>
                ))}
              </nav>
              {person.value !== null && <Own key={`own ${shown} ${person.value.id}`} pool={shown} player={person.value.id} />}
              <Board key={shown} pool={shown} />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function Own(props: { pool: string; player: string }) {
  const [place] = useLoading(async () => {
    const request = { pool: props.pool, playerId: props.player, neighbours: NEIGHBOURS };
    try {
      return await ratings.getLeaderboardPlace(request, unary);
    } catch (error) {
      if (refusalOf(error).reason === "PLAYER_NOT_LISTED") return null;
      throw error;
    }
  }, [props.pool, props.player]);
  if (place.state !== "ready") return null;
  const found = place.value;
  if (found === null) return <p class="note own-place">{t("leaders.notListed")}</p>;
  const percentile = numbers(language.value, { maximumFractionDigits: 0 }).format(found.percentile);
  return (
    <section class="card own-place" aria-labelledby="own-place" data-place={found.place.toString()}>
      <h2 id="own-place">{t("leaders.own", { place: found.place.toString(), listed: found.listed.toString() })}</h2>
      <p class="small">{t("leaders.percentile", { percentile })}</p>
      {/* Where the first page shows them already, they are not said twice. */}
      {found.place > BigInt(PAGE) && <Lines entries={found.entries} caption={t("leaders.around")} />}
    </section>
  );
}

function Board(props: { pool: string }) {
  const { pool } = props;
  const [first, again] = useLoading(() => ratings.listLeaderboard({ pool, pageSize: PAGE }, unary), [pool]);
  const [more, setMore] = useState<{ entries: LeaderboardEntry[]; token: string } | null>(null);
  const [problem, setProblem] = useState("");
  return (
    <Loaded from={first} again={again}>
      {(page) => {
        const entries = [...page.entries, ...(more?.entries ?? [])];
        const token = more === null ? page.nextPageToken : more.token;
        const next = async (): Promise<void> => {
          const got = await ratings.listLeaderboard({ pool, pageSize: PAGE, pageToken: token }, unary);
          setMore({ entries: [...(more?.entries ?? []), ...got.entries], token: got.nextPageToken });
        };
        if (entries.length === 0) return <p class="empty">{t("leaders.none")}</p>;
        return (
          <>
            <Lines entries={entries} caption={poolName(pool)} />
            {token !== "" && (
              <button type="button" class="quiet" onClick={() => void next().catch((error: unknown) => setProblem(refusalText(error)))}>
                {t("action.more")}
              </button>
            )}
            {problem !== "" && <p class="problem" role="alert">{problem}</p>}
          </>
        );
      }}
    </Loaded>
  );
}

function Lines(props: { entries: LeaderboardEntry[]; caption: string }) {
  return (
    <div class="scroll">
      <table class="leaders">
        <caption class="unseen">{props.caption}</caption>
        <thead>
          <tr>
            <th scope="col" class="number">{t("leaders.place")}</th>
            <th scope="col">{t("leaders.player")}</th>
            <th scope="col" class="number">{t("leaders.rating")}</th>
            <th scope="col" class="number">{t("profile.played")}</th>
          </tr>
        </thead>
        <tbody>
          {props.entries.map((entry) => (
            <tr key={entry.player?.playerId} data-player={entry.player?.playerId} data-own={entry.player?.playerId === person.value?.id ? "yes" : "no"}>
              <td class="number">{entry.place.toString()}</td>
              <td>
                <a href={`/player/${entry.player?.playerId ?? ""}`}>{entry.player?.name}</a>
              </td>
              <td class="number">
                <strong>{rating(entry.rating?.rating ?? 0)}</strong>
              </td>
              <td class="number">
                <span class="unseen">{count("profile.games", entry.rating?.games ?? 0)}</span>
                <span aria-hidden="true">{entry.rating?.games ?? 0}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
