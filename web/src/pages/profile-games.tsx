// A player's games, filtered, and what they come to.

import { useState } from "preact/hooks";

import { outcomeOf, statisticsOf, sumOf, type Outcome, type Tally } from "../game/statistics.ts";
import { endText, shownScore } from "../game/words.ts";
import { GameResult, GameStatus, type GameSummary } from "../gen/stakemate/game/v1/game_service_pb.ts";
import { Loaded, useLoading } from "../parts/parts.tsx";
import { person } from "../session/session.ts";
import { moment, percent, timeControl } from "../text/format.ts";
import { numbers } from "../text/formatters.ts";
import { count, language, t } from "../text/text.ts";
import { games } from "../wire/clients/games.ts";
import { refusalText } from "../wire/refusal.ts";
import { unary } from "../wire/transport.ts";

const PAGE = 20;
/// Statistics are of so many games at most, the last ones.
const COUNTED_MAX = 500;
const COUNTED_PAGE = 100;
const DAY_MS = 86_400_000;

/// How games may be chosen.
const KINDS = {
  all: {},
  whiteWon: { result: GameResult.WHITE_WINS },
  blackWon: { result: GameResult.BLACK_WINS },
  drawn: { result: GameResult.DRAW },
  aborted: { status: GameStatus.ABORTED },
  live: { status: GameStatus.LIVE },
} as const;
type Kind = keyof typeof KINDS;
const PERIODS = [0, 365, 30, 7];

/// The list with its filters.
export function PlayedGames(props: { id: string }) {
  const [kind, setKind] = useState<Kind>("all");
  const [days, setDays] = useState(0);
  const [against, setAgainst] = useState(false);
  const me = person.value?.id;
  const key = `${kind} ${days} ${against}`;
  return (
    <section class="played-games" aria-labelledby="played">
      <h2 id="played">{t("profile.played")}</h2>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          {t("filter.result")}
          <select name="kind" value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
            {(Object.keys(KINDS) as Kind[]).map((one) => (
              <option key={one} value={one}>{t(`filter.${one}`)}</option>
            ))}
          </select>
        </label>
        <label>
          {t("profile.period")}
          <select name="days" value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
            {PERIODS.map((one) => (
              <option key={one} value={one}>{t(`period.${one}` as "period.0")}</option>
            ))}
          </select>
        </label>
        {me !== undefined && me !== props.id && (
          <label class="switch">
            <input type="checkbox" name="against" checked={against} onChange={(event) => setAgainst(event.currentTarget.checked)} />
            {t("filter.againstMe")}
          </label>
        )}
      </form>
      <Chosen key={key} id={props.id} kind={kind} days={days} opponent={against ? (me ?? "") : ""} />
    </section>
  );
}

function Chosen(props: { id: string; kind: Kind; days: number; opponent: string }) {
  const [from] = useState(() => (props.days === 0 ? 0n : BigInt(Date.now() - props.days * DAY_MS)));
  const request = { playerId: props.id, opponentId: props.opponent, startedFromMs: from, pageSize: PAGE, ...KINDS[props.kind] };
  const [first, again] = useLoading(() => games.listGames(request, unary), [props.id]);
  const [more, setMore] = useState<{ list: GameSummary[]; token: string } | null>(null);
  const [problem, setProblem] = useState("");
  return (
    <Loaded from={first} again={again}>
      {(page) => {
        const list = [...page.games, ...(more?.list ?? [])];
        const token = more === null ? page.nextPageToken : more.token;
        const next = async (): Promise<void> => {
          const got = await games.listGames({ ...request, pageToken: token }, unary);
          setMore({ list: [...(more?.list ?? []), ...got.games], token: got.nextPageToken });
        };
        if (list.length === 0) return <p class="empty">{t("profile.noGames")}</p>;
        return (
          <>
            <ul class="played" role="list">
              {list.map((game) => (
                <Row key={game.gameId} game={game} id={props.id} />
              ))}
            </ul>
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

function Row(props: { game: GameSummary; id: string }) {
  const { game, id } = props;
  const outcome = outcomeOf(game, id);
  return (
    <li data-outcome={outcome}>
      <a class="card" href={game.status === GameStatus.LIVE ? `/game/${game.gameId}` : `/replay/${game.gameId}`}>
        <span class="badge">{outcomeText(outcome, id)}</span>
        <span class="pair">
          {game.white?.name} – {game.black?.name}
        </span>
        <span>{shownScore(game.result)}</span>
        <small>
          {timeControl(game.timeControl)} · {moment(game.startedAtMs)}
        </small>
      </a>
    </li>
  );
}

/// Who looks at another's games is not spoken to as if they were his own.
function outcomeText(outcome: Outcome, id: string): string {
  const own = person.value?.id === id;
  return !own && (outcome === "won" || outcome === "lost") ? t(`played.${outcome}`) : t(`outcome.${outcome}`);
}

/// What the last games come to.
export function StatisticsCard(props: { id: string }) {
  const { id } = props;
  const [counted] = useLoading(() => lastGames(id), [id]);
  // Room is kept while they are counted, so that nothing below moves.
  if (counted.state === "loading") return <div class="statistics-room" aria-hidden="true" />;
  if (counted.state === "failed") return null;
  const found = statisticsOf(counted.value, id);
  const all = sumOf(found.all);
  if (all === 0) return null;
  const plies = numbers(language.value, { maximumFractionDigits: 0 }).format(found.plies / 2);
  return (
    <section class="card statistics" aria-labelledby="statistics" data-games={all}>
      <h2 id="statistics">{t("stats.title")}</h2>
      <p class="small">{count("stats.of", all)}</p>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col" class="number">{t("stats.won")}</th>
            <th scope="col" class="number">{t("stats.drawn")}</th>
            <th scope="col" class="number">{t("stats.lost")}</th>
            <th scope="col" class="share-head"><span class="unseen">{t("stats.share")}</span></th>
          </tr>
        </thead>
        <tbody>
          <TallyRow name={t("stats.all")} tally={found.all} />
          <TallyRow name={t("stats.asWhite")} tally={found.white} />
          <TallyRow name={t("stats.asBlack")} tally={found.black} />
        </tbody>
      </table>
      <p>{t("stats.length", { moves: plies })}</p>
      <ul class="endings" role="list" aria-label={t("stats.endings")}>
        {found.endings.map(([reason, number]) => (
          <li key={reason}>
            {endText(reason).replace(/\.$/, "")} <strong>{percent(Math.round((number / all) * 100) * 100)}</strong>
          </li>
        ))}
      </ul>
    </section>
  );
}

function TallyRow(props: { name: string; tally: Tally }) {
  const { won, drawn, lost } = props.tally;
  const all = sumOf(props.tally);
  const width = (part: number): number => (all === 0 ? 0 : (part / all) * 100);
  return (
    <tr>
      <th scope="row">{props.name}</th>
      <td class="number" data-won={won}>{won}</td>
      <td class="number">{drawn}</td>
      <td class="number" data-lost={lost}>{lost}</td>
      <td class="share-bar">
        <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect class="won" x="0" width={width(won)} height="8" />
          <rect class="drawn" x={width(won)} width={width(drawn)} height="8" />
          <rect class="lost" x={width(won + drawn)} width={width(lost)} height="8" />
        </svg>
      </td>
    </tr>
  );
}

async function lastGames(playerId: string): Promise<GameSummary[]> {
  const list: GameSummary[] = [];
  let pageToken = "";
  do {
    const page = await games.listGames({ playerId, status: GameStatus.ENDED, pageSize: COUNTED_PAGE, pageToken }, unary);
    list.push(...page.games);
    pageToken = page.nextPageToken;
  } while (pageToken !== "" && list.length < COUNTED_MAX);
  return list;
}
