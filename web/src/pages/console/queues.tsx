// Who waits in which queue, and how far from his own rating each may be paired.

import type { QueueStanding, WaitingTicket } from "../../gen/stakemate/matchmaking/v1/queue_service_pb.ts";
import { Loaded, useEvery, useLoading } from "../../parts/parts.tsx";
import { timeControl, waited } from "../../text/format.ts";
import { unary } from "../../wire/transport.ts";
import { Badge, figure, Frame } from "./frame.tsx";
import { queues } from "./wire.ts";
import { ct } from "./words.ts";

const ASK_EVERY_MS = 2_000;
const ROW = 30;
const WIDTH = 600;
/// Ratings shown to the left of the lowest window and to the right of the highest.
const MARGIN = 50;

/// The page of the queues.
export function Queues() {
  const [all, again] = useLoading(() => queues.listQueues({}, unary), []);
  useEvery(ASK_EVERY_MS, again);
  return (
    <Frame title={ct("queues.title")}>
      <p class="lead">{ct("queues.lead")}</p>
      <Loaded from={all} again={again}>
        {({ queues: list }) => {
          const busy = list.filter((queue) => queue.waiting > 0);
          const idle = list.filter((queue) => queue.waiting === 0);
          return (
            <>
              {busy.length === 0 && <p class="empty">{ct("queues.none")}</p>}
              <ul class="queue-list" role="list">
                {busy.map((queue) => (
                  <Busy key={keyOf(queue)} queue={queue} />
                ))}
              </ul>
              {idle.length > 0 && <Idle queues={idle} />}
            </>
          );
        }}
      </Loaded>
    </Frame>
  );
}

function keyOf(queue: QueueStanding): string {
  return `${queue.cityId}/${timeControl(queue.timeControl)}`;
}

function Busy(props: { queue: QueueStanding }) {
  const { queue } = props;
  return (
    <li class="card" data-queue={keyOf(queue)} data-waiting={queue.waiting}>
      <div class="heading">
        <h2>
          {queue.cityName} {timeControl(queue.timeControl)}
        </h2>
        <Badge tone="note">{ct("queues.waiting", { n: figure(queue.waiting) })}</Badge>
      </div>
      <p class="small">
        <Lately queue={queue} />
      </p>
      <Windows tickets={queue.tickets} />
    </li>
  );
}

function Lately(props: { queue: QueueStanding }) {
  const { recentWaitMs, recentlyPaired } = props.queue;
  if (recentWaitMs === undefined) return <>{ct("queues.few", { n: figure(recentlyPaired) })}</>;
  return <>{ct("queues.lately", { n: figure(recentlyPaired), wait: waited(Number(recentWaitMs)) })}</>;
}

/// Each ticket's window as a bar on one scale of ratings.
function Windows(props: { tickets: WaitingTicket[] }) {
  const { tickets } = props;
  const low = Math.min(...tickets.map((ticket) => ticket.rating - ticket.window)) - MARGIN;
  const high = Math.max(...tickets.map((ticket) => ticket.rating + ticket.window)) + MARGIN;
  const x = (rating: number): number => ((rating - low) / (high - low)) * WIDTH;
  return (
    <div class="windows">
      <table>
        <thead class="unseen">
          <tr>
            <th scope="col">{ct("queues.player")}</th>
            <th scope="col">{ct("queues.window")}</th>
            <th scope="col">{ct("queues.waited")}</th>
          </tr>
        </thead>
        <tbody>
          {tickets.map((ticket) => (
            <tr key={ticket.ticketId} data-window={ticket.window}>
              <th scope="row">
                <a href={`/player/${ticket.player?.playerId}`}>{ticket.player?.name}</a> <small>{ticket.rating}</small>
              </th>
              <td class="bar-of">
                <svg viewBox={`0 0 ${WIDTH} ${ROW}`} preserveAspectRatio="none" height={ROW} aria-hidden="true">
                  <rect class="track" x="0" width={WIDTH} y="9" height="12" rx="3" />
                  <rect class="window" x={x(ticket.rating - ticket.window)} width={x(low + 2 * ticket.window)} y="9" height="12" rx="3" />
                  <rect class="own" x={x(ticket.rating) - 2} width="4" y="4" height="22" />
                </svg>
                <small>
                  {ticket.rating - ticket.window} – {ticket.rating + ticket.window} <span class="quiet-text">±{ticket.window}</span>
                </small>
              </td>
              <td class="number">{waited(Number(ticket.waitedMs))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Idle(props: { queues: QueueStanding[] }) {
  return (
    <>
      <h2>{ct("queues.idle")}</h2>
      <ul class="chips" role="list">
        {props.queues.map((queue) => (
          <li key={keyOf(queue)} data-queue={keyOf(queue)} data-waiting="0">
            {queue.cityName} {timeControl(queue.timeControl)}
            {queue.recentlyPaired > 0 && (
              <small>
                {" "}
                <Lately queue={queue} />
              </small>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
