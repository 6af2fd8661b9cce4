// How a game ended and what that meant: money line by line, rating, and the way on.

import { useEffect, useState } from "preact/hooks";

import type { LiveGame } from "../game/live-game.ts";
import type { GameState } from "../game/state.ts";
import { endText, poolName, poolOf, resultText, shownScore } from "../game/words.ts";
import { GameResult, GameStatus, type Game } from "../gen/stakemate/game/v1/game_service_pb.ts";
import type { RatingChange } from "../gen/stakemate/rating/v1/rating_service_pb.ts";
import { TransferKind, type StatementLine } from "../gen/stakemate/wallet/v1/wallet_service_pb.ts";
import { Color } from "../gen/stakemate/type/v1/color_pb.ts";
import { person } from "../session/session.ts";
import { readBalance } from "../shell/balance.ts";
import { money, rating, timeControl } from "../text/format.ts";
import { t, tKnown } from "../text/text.ts";
import { ratings } from "../wire/clients/ratings.ts";
import { unary, wallet } from "../wire/transport.ts";
import { Rematch } from "./game-rematch.tsx";

/// Settlement follows the end within moments; how often and how long it is asked for.
const ASK_EVERY_MS = 400;
const ASKS_MAX = 100;

/// The end of a game.
export function Result(props: { live: LiveGame; game: Game; state: GameState; mine: Color }) {
  const { game, state, mine } = props;
  const staked = mine !== Color.UNSPECIFIED && game.stake !== undefined && person.value !== null;
  const heading = headingOf(state, mine);
  return (
    <section class="result card" data-outcome={heading} aria-label={t("result.title")}>
      <h2>
        <span class="score">{shownScore(state.result)}</span> {t(`outcome.${heading}`)}
      </h2>
      <p>
        {resultText(state.status, state.result)} {endText(state.endReason)}
      </p>
      {staked && <Settlement game={game} status={state.status} />}
      {mine !== Color.UNSPECIFIED && person.value !== null && game.rated && state.status === GameStatus.ENDED && <Rated game={game} />}
      {game.tableId !== "" && <Rematch live={props.live} tableId={game.tableId} mine={mine} />}
      <div class="buttons">
        {mine !== Color.UNSPECIFIED && game.cityId !== "" && (
          <a class="button" href={`/play/${game.cityId}/${timeControl(game.timeControl)}`}>
            {t("result.next")}
          </a>
        )}
        <a class="button quiet" href={`/replay/${game.gameId}`}>
          {t("result.replay")}
        </a>
      </div>
    </section>
  );
}

type Heading = "won" | "lost" | "drawn" | "aborted" | "over";

function headingOf(state: GameState, mine: Color): Heading {
  if (state.status === GameStatus.ABORTED) return "aborted";
  if (state.result === GameResult.DRAW) return "drawn";
  if (mine === Color.UNSPECIFIED) return "over";
  const winner = state.result === GameResult.WHITE_WINS ? Color.WHITE : Color.BLACK;
  return winner === mine ? "won" : "lost";
}

/// Asks until there is an answer.
function useEventually<T>(ask: () => Promise<T | null>, key: string): T | null | "late" {
  const [answer, setAnswer] = useState<T | null | "late">(null);
  useEffect(() => {
    let asks = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let current = true;
    const again = async (): Promise<void> => {
      asks += 1;
      const found = await ask().catch(() => null);
      if (!current) return;
      if (found !== null) setAnswer(found);
      else if (asks < ASKS_MAX) timer = setTimeout(() => void again(), ASK_EVERY_MS);
      else setAnswer("late");
    };
    void again();
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [key]);
  return answer;
}

async function settled(matchId: string): Promise<StatementLine[] | null> {
  const { lines } = await wallet.listStatement({ pageSize: 20 }, unary);
  const own = lines.filter((line) => line.matchId === matchId).reverse();
  const closing = own.some((line) => line.kind === TransferKind.PAYOUT || line.kind === TransferKind.REFUND);
  if (closing) void readBalance();
  return closing ? own : null;
}

function Settlement(props: { game: Game; status: GameStatus }) {
  const lines = useEventually(() => settled(props.game.matchId), props.game.matchId);
  if (lines === null) return <p role="status">{t("result.settling")}</p>;
  if (lines === "late") return <p role="status">{t("result.settlingLate")}</p>;
  const currency = props.game.stake?.currency ?? "";
  const net = lines.reduce((sum, line) => sum + (line.availableChange?.minorUnits ?? 0n), 0n);
  const after = lines.at(-1)?.availableAfter;
  return (
    <table class="settlement">
      <caption class="unseen">{t("result.money")}</caption>
      <tbody>
        {lines.map((line) => (
          <MoneyLine key={line.transferId} line={line} stake={props.game.stake?.minorUnits ?? 0n} currency={currency} />
        ))}
        <tr class="sum">
          <th scope="row">{t("result.net")}</th>
          <td data-net={net.toString()}>{money({ minorUnits: net, currency } as never, "change")}</td>
        </tr>
        <tr>
          <th scope="row">{t("wallet.available")}</th>
          <td data-after={after?.minorUnits.toString()}>{money(after)}</td>
        </tr>
      </tbody>
    </table>
  );
}

/// A line of the statement; a payout is taken apart into pot and fee.
function MoneyLine(props: { line: StatementLine; stake: bigint; currency: string }) {
  const { line, stake, currency } = props;
  const won = line.kind === TransferKind.PAYOUT && (line.availableChange?.minorUnits ?? 0n) > 0n;
  if (won) {
    const fee = line.fee?.minorUnits ?? 0n;
    return (
      <>
        <Row name={t("result.pot")} minorUnits={2n * stake} currency={currency} part />
        <Row name={t("result.fee")} minorUnits={-fee} currency={currency} part />
        <tr>
          <th scope="row">{t("kind.PAYOUT")}</th>
          <td data-payout={line.availableChange?.minorUnits.toString()}>{money(line.availableChange, "change")}</td>
        </tr>
      </>
    );
  }
  const name = line.kind === TransferKind.PAYOUT ? t("result.potLost") : tKnown("kind", TransferKind[line.kind]);
  return <Row name={name} minorUnits={line.availableChange?.minorUnits ?? 0n} currency={currency} />;
}

/// A line of its own, or a part of the one below it.
function Row(props: { name: string; minorUnits: bigint; currency: string; part?: true }) {
  return (
    <tr class={props.part ? "part" : undefined}>
      <th scope="row">{props.name}</th>
      <td>{money({ minorUnits: props.minorUnits, currency: props.currency } as never, "change")}</td>
    </tr>
  );
}

async function rated(game: Game): Promise<RatingChange | null> {
  const request = { playerId: person.value?.id ?? "", pool: poolOf(game), pageSize: 5 };
  const { changes } = await ratings.listRatingHistory(request, unary);
  return changes.find((change) => change.gameId === game.gameId) ?? null;
}

function Rated(props: { game: Game }) {
  const change = useEventually(() => rated(props.game), props.game.gameId);
  if (change === null) return <p role="status">{t("result.rating")}</p>;
  if (change === "late") return <p role="status">{t("result.ratingLate")}</p>;
  const before = change.before?.rating ?? 0;
  const after = change.after?.rating ?? 0;
  const difference = Math.round(after) - Math.round(before);
  return (
    <p class="rated" data-before={before} data-after={after}>
      {t("result.ratingChange", { pool: poolName(change.after?.pool ?? ""), before: rating(before), after: rating(after) })}{" "}
      <strong class={difference < 0 ? "down" : "up"}>
        {difference < 0 ? "−" : "+"}
        {Math.abs(difference)}
      </strong>
    </p>
  );
}
