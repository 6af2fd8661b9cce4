// Waiting for an opponent.

import { Code } from "@connectrpc/connect";
import { useEffect, useRef, useState } from "preact/hooks";

import { announce } from "../announce.ts";
import { GameStatus } from "../gen/stakemate/game/v1/game_service_pb.ts";
import {
  CancelReason,
  type JoinQueueResponse,
  type Searching,
  type SecuringStakes,
} from "../gen/stakemate/matchmaking/v1/matchmaking_service_pb.ts";
import { Title, useLoading } from "../parts/parts.tsx";
import { go } from "../router.ts";
import { readBalance } from "../shell/balance.ts";
import { play } from "../sound.ts";
import { money, waited } from "../text/format.ts";
import { t, tKnown } from "../text/text.ts";
import { games } from "../wire/clients/games.ts";
import { matchmaking } from "../wire/clients/matchmaking.ts";
import { follow, type Next } from "../wire/follow.ts";
import { isPassing, refusalOf, refusalText } from "../wire/refusal.ts";
import { requestId } from "../wire/request-id.ts";
import { unary } from "../wire/transport.ts";

/// How soon one joins again while the former game is being closed.
const CLOSING_RETRY_MS = 500;

type Ticket =
  | { state: "joining" }
  | { state: "searching"; searching: Searching; atMs: number; notice: string; nobody: boolean }
  | { state: "securing"; securing: SecuringStakes }
  | { state: "closed"; reason: CancelReason }
  | { state: "refused"; error: unknown };

/// The queue of a city and clock, as `/play/paris/3+2`.
export function Queue(props: { city: string; control: string }) {
  const [ticket, setTicket] = useState<Ticket>({ state: "joining" });
  const [round, setRound] = useState(0);
  const [, tick] = useState(0);
  const stop = useRef<(() => void) | null>(null);
  const [cities] = useLoading(async () => (await matchmaking.listCities({}, unary)).cities, []);
  const city = cities.state === "ready" ? cities.value.find((one) => one.cityId === props.city) : undefined;

  useEffect(() => {
    let matched = false;
    let left = false;
    let notice = "";
    let nobody = false;
    const onFrame = (response: JoinQueueResponse): Next => {
      const { frame } = response;
      if (frame.case === "searching") {
        setTicket({ state: "searching", searching: frame.value, atMs: performance.now(), notice, nobody });
      } else if (frame.case === "noOpponent") {
        if (!nobody) announce(t("queue.nobody"));
        nobody = true;
        setTicket((now) => (now.state === "searching" ? { ...now, nobody } : now));
      } else if (frame.case === "securingStakes") {
        setTicket({ state: "securing", securing: frame.value });
        announce(t("queue.found", { name: frame.value.opponent?.name ?? "" }));
      } else if (frame.case === "matched") {
        matched = true;
        play("check");
        void readBalance();
        go(`/game/${frame.value.gameId}`, "replace");
        return { go: "end" };
      } else if (frame.case === "matchFailed") {
        notice = reasonText(frame.value.reason);
        announce(notice);
      } else if (frame.case === "ticketClosed") {
        setTicket({ state: "closed", reason: frame.value.reason });
        return { go: "end" };
      } else if (frame.case === "draining") {
        return { go: "again", afterMs: frame.value.reconnectAfterMs };
      }
      return { go: "on" };
    };
    const onFailure = (error: unknown): Next => {
      const { code, reason, metadata } = refusalOf(error);
      if (isPassing(error) || code === Code.Unauthenticated) return { go: "on" };
      if (reason === "IN_A_GAME" && metadata.game_id !== undefined && metadata.game_id !== "") {
        void returnIfLive(metadata.game_id);
        return { go: "again", afterMs: CLOSING_RETRY_MS };
      }
      setTicket({ state: "refused", error });
      return { go: "end" };
    };
    // A game that has just ended is closed a moment later; one that is live is where the player belongs.
    const returnIfLive = async (gameId: string): Promise<void> => {
      const { game } = await games.getGame({ gameId }, unary).catch(() => ({ game: undefined }));
      if (game?.status !== GameStatus.LIVE || left) return;
      matched = true;
      go(`/game/${gameId}`, "replace");
    };
    setTicket({ state: "joining" });
    // The same request after a lost connection: it leads to the ticket, the match or the game that came of it.
    const request = { requestId: requestId(), cityId: props.city, timeControl: parseControl(props.control) };
    stop.current = follow<JoinQueueResponse>({
      open: (signal) => matchmaking.joinQueue(request, { signal }),
      onFrame,
      onFailure,
      onLink: () => undefined,
    });
    const clock = setInterval(() => tick((value) => value + 1), 500);
    return () => {
      left = true;
      clearInterval(clock);
      stop.current?.();
      // Whoever goes to another page does not want to be matched behind his back.
      if (!matched) void leave();
    };
  }, [props.city, props.control, round]);

  return (
    <section class="narrow queue" data-state={ticket.state}>
      <Title>{t("queue.title", { city: city?.name ?? props.city, control: props.control })}</Title>
      {city !== undefined && (
        <p class="lead">
          {t("queue.stake", { stake: money(city.stake) })}
        </p>
      )}
      <div class="card waiting" role="status">
        <TicketView ticket={ticket} />
      </div>
      {ticket.state === "closed" || ticket.state === "refused" ? (
        <div class="buttons">
          <button type="button" onClick={() => setRound((value) => value + 1)}>
            {t("action.tryAgain")}
          </button>
          <a class="button quiet" href="/">
            {t("queue.back")}
          </a>
        </div>
      ) : (
        <button type="button" class="quiet" onClick={() => go("/")}>
          {t("queue.cancel")}
        </button>
      )}
    </section>
  );
}

function TicketView(props: { ticket: Ticket }) {
  const { ticket } = props;
  switch (ticket.state) {
    case "joining":
      return <p>{t("queue.joining")}</p>;
    case "searching": {
      const since = Number(ticket.searching.waitedMs) + performance.now() - ticket.atMs;
      return (
        <>
          <div class="pulse" aria-hidden="true" />
          <p>{t("queue.searching")}</p>
          <p class="big" aria-hidden="true">
            {waited(since)}
          </p>
          {ticket.searching.estimatedWaitMs !== undefined && (
            <p class="estimate" data-estimate={ticket.searching.estimatedWaitMs.toString()}>
              {t("queue.estimate", { time: waited(Number(ticket.searching.estimatedWaitMs)) })}
            </p>
          )}
          <p>{t("queue.window", { rating: ticket.searching.rating, window: ticket.searching.window })}</p>
          {ticket.nobody && <p class="note">{t("queue.nobody")}</p>}
          {ticket.notice !== "" && <p class="note">{ticket.notice}</p>}
        </>
      );
    }
    case "securing":
      return (
        <>
          <div class="pulse" aria-hidden="true" />
          <p>{t("queue.found", { name: ticket.securing.opponent?.name ?? "" })}</p>
          <p>{t("queue.securing")}</p>
        </>
      );
    case "closed":
      return <p role="alert">{reasonText(ticket.reason)}</p>;
    case "refused":
      return (
        <p role="alert" data-reason={refusalOf(ticket.error).reason}>
          {refusalText(ticket.error)}
        </p>
      );
  }
}

function reasonText(reason: CancelReason): string {
  return tKnown("cancel", CancelReason[reason]);
}

async function leave(): Promise<void> {
  await matchmaking.leaveQueue({ requestId: requestId() }, unary).catch(() => undefined);
  void readBalance();
}

/// `3+2` as a time control.
function parseControl(text: string): { baseMs: bigint; incrementMs: bigint } {
  const [minutes = "0", seconds = "0"] = text.split("+");
  return {
    baseMs: BigInt(Math.round(Number(minutes) * 60_000) || 0),
    incrementMs: BigInt(Math.round(Number(seconds) * 1_000) || 0),
  };
}
