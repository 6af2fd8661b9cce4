// One match from stake to payout: what every service wrote about it, in the order of time, and where its money went.

import { useEffect, useState } from "preact/hooks";

import { AccountKind, type LedgerEntry } from "../../gen/stakemate/wallet/v1/event_pb.ts";
import type { MatchTransfer } from "../../gen/stakemate/wallet/v1/ledger_service_pb.ts";
import { TransferKind } from "../../gen/stakemate/wallet/v1/wallet_service_pb.ts";
import { Loaded, useLoading } from "../../parts/parts.tsx";
import { go } from "../../router.ts";
import { moment } from "../../text/format.ts";
import { tKnown } from "../../text/text.ts";
import { dataOf, EventRow, Trace, traceIdOf } from "./event-row.tsx";
import { Facts, figure, Frame, lasted, PlayerName } from "./frame.tsx";
import { linesOf, type Line } from "./lines.ts";
import { storyOf, type Story } from "./match-story.ts";
import { TAccounts, type TAccountOf } from "./t-account.tsx";
import { at, operators } from "./wire.ts";
import { ct, ctKnown } from "./words.ts";

const UUID = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";

/// The page that asks which match.
export function MatchSearch() {
  return (
    <Frame title={ct("match.title")}>
      <p class="lead">{ct("match.lead")}</p>
      <Search id="" />
      <Latest />
    </Frame>
  );
}

/// The page of one match.
export function MatchTimeline(props: { id: string }) {
  const [story, again] = useLoading(() => storyOf(props.id), [props.id]);
  const [traceUrl, setTraceUrl] = useState("");
  useEffect(() => void operators.getStatus({}, at("matchmaking")).then((status) => setTraceUrl(status.traceUrl), () => undefined), []);
  return (
    <Frame
      title={ct("match.title")}
      aside={
        <button type="button" class="quiet" onClick={again}>
          {ct("ledger.again")}
        </button>
      }
    >
      <Search id={props.id} />
      <Loaded from={story} again={again}>
        {(found) => (found === null ? <p class="empty">{ct("match.unknown")}</p> : <Found story={found} traceUrl={traceUrl} />)}
      </Loaded>
    </Frame>
  );
}

function Search(props: { id: string }) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const id = String(new FormData(event.currentTarget as HTMLFormElement).get("id")).trim().toLowerCase();
    go(`/console/match/${id}`);
  };
  return (
    <form class="search" onSubmit={submit} aria-label={ct("match.search")}>
      <label class="wide">
        {ct("match.id")}
        <input name="id" required pattern={`\\s*${UUID}\\s*`} placeholder="UUID" defaultValue={props.id} autocomplete="off" spellcheck={false} />
      </label>
      <button type="submit">{ct("match.do")}</button>
    </form>
  );
}

/// The matches that were proposed last, so that nobody has to know an id.
function Latest() {
  const [latest, again] = useLoading(async () => (await operators.listEvents({ kinds: ["MatchProposed"], pageSize: 15 }, at("matchmaking"))).events, []);
  return (
    <>
      <h2>{ct("match.latest")}</h2>
      <Loaded from={latest} again={again}>
        {(events) =>
          events.length === 0 ? (
            <p class="empty">{ct("match.none")}</p>
          ) : (
            <ul class="rows" role="list">
              {events.map((event) => {
                const data = dataOf({ service: "matchmaking", event }) as { white?: { name: string }; black?: { name: string }; cityId?: string };
                return (
                  <li key={event.eventId}>
                    <a class="card" href={`/console/match/${event.streamId}`}>
                      <strong>
                        {data.white?.name} – {data.black?.name}
                      </strong>
                      <span>{data.cityId}</span>
                      <small>{moment(event.recordedAtMs)}</small>
                    </a>
                  </li>
                );
              })}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

function Found(props: { story: Story; traceUrl: string }) {
  const { story, traceUrl } = props;
  const { events } = story;
  const since = events[0]!.event.recordedAtMs;
  const parent = events.map(({ event }) => event.traceParent).find((one) => traceIdOf(one) !== "") ?? "";
  return (
    <>
      <Facts
        of={[
          [ct("match.match"), story.matchId === "" ? "–" : <code>{story.matchId}</code>],
          [ct("match.game"), story.gameId === "" ? "–" : <a href={`/replay/${story.gameId}`}><code>{story.gameId}</code></a>],
          [ct("match.began"), moment(since)],
          [ct("match.took"), lasted(Number(events.at(-1)!.event.recordedAtMs - since))],
          [ct("event.trace"), <Trace parent={parent} url={traceUrl} />],
        ]}
      />
      {story.transfers.length > 0 && <Money story={story} />}
      <h2>{ct("match.events")}</h2>
      <ol class="event-list timeline" data-events={events.length}>
        {linesOf(events).map((line) => (
          <Row key={"moves" in line ? line.moves[0]!.event.eventId : line.event.event.eventId} line={line} since={since} traceUrl={traceUrl} />
        ))}
      </ol>
    </>
  );
}

function Row(props: { line: Line; since: bigint; traceUrl: string }) {
  const [open, setOpen] = useState(false);
  const { line, since, traceUrl } = props;
  if ("event" in line) return <EventRow owned={line.event} traceUrl={traceUrl} since={since} />;
  if (line.moves.length === 1) return <EventRow owned={line.moves[0]!} traceUrl={traceUrl} since={since} />;
  const first = line.moves[0]!.event;
  return (
    <li class="event" data-service="game" data-moves={line.moves.length}>
      <details onToggle={(toggle) => setOpen((toggle.currentTarget as HTMLDetailsElement).open)}>
        <summary>
          <time>+{figure(Number(first.recordedAtMs - since) / 1_000, 3)} s</time>
          <span class="service-name">game</span>
          <strong>MovePlayed</strong>
          <span class="gist">{ct("match.moves", { n: figure(line.moves.length) })}</span>
        </summary>
        {open && (
          <ul class="event-list" role="list">
            {line.moves.map((owned) => (
              <EventRow key={owned.event.eventId} owned={owned} traceUrl={traceUrl} since={since} />
            ))}
          </ul>
        )}
      </details>
    </li>
  );
}

function Money(props: { story: Story }) {
  const { transfers } = props.story;
  const currencies = [...new Set(transfers.map((one) => one.transfer!.currency))];
  return (
    <>
      <h2>{ct("match.money")}</h2>
      {currencies.map((currency) => (
        <TAccounts key={currency} currency={currency} accounts={accountsOf(transfers.filter((one) => one.transfer!.currency === currency))} />
      ))}
    </>
  );
}

/// What the transfers did to each account.
function accountsOf(transfers: MatchTransfer[]): TAccountOf[] {
  const accounts = new Map<string, TAccountOf>();
  for (const { transfer } of transfers) {
    for (const entry of transfer!.entries) {
      const key = `${AccountKind[entry.account]} ${entry.ownerId}`.trim();
      const account = accounts.get(key) ?? { key, name: nameOf(entry), debits: [], credits: [] };
      const what = tKnown("kind", TransferKind[transfer!.kind]);
      if (entry.changeMinorUnits < 0n) account.debits.push({ what, minorUnits: -entry.changeMinorUnits });
      else account.credits.push({ what, minorUnits: entry.changeMinorUnits });
      accounts.set(key, account);
    }
  }
  return [...accounts.values()].sort((one, other) => one.key.localeCompare(other.key));
}

function nameOf(entry: LedgerEntry) {
  const kind = ctKnown("account", AccountKind[entry.account]);
  const isPlayers = [AccountKind.AVAILABLE, AccountKind.HELD, AccountKind.WITHHELD].includes(entry.account);
  return isPlayers ? (
    <>
      {kind}, <PlayerName id={entry.ownerId} />
    </>
  ) : (
    <>{kind}</>
  );
}
