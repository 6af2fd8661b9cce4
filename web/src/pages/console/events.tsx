// The newest events of one service's log, or of all.

import { useEffect, useState } from "preact/hooks";

import { useEvery } from "../../parts/parts.tsx";
import { t } from "../../text/text.ts";
import { EventRow } from "./event-row.tsx";
import { Frame } from "./frame.tsx";
import { merged, type Parts } from "./merged.ts";
import { askAll, at, operators, SERVICES, type ServiceName } from "./wire.ts";
import { ct, problemText } from "./words.ts";

const PAGE = 30;
const FOLLOW_EVERY_MS = 3_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

interface Filter {
  services: readonly ServiceName[];
  kind: string;
  stream: string;
  chain: string;
}

/// The page of the events.
export function Events() {
  const [filter, setFilter] = useState<Filter>({ services: SERVICES, kind: "", stream: "", chain: "" });
  const [parts, setParts] = useState<Parts | null>(null);
  const [problems, setProblems] = useState<string[]>([]);
  const [follows, setFollows] = useState(false);
  const [traceUrl, setTraceUrl] = useState("");

  const read = async (services: readonly ServiceName[], known: Parts): Promise<Parts> => {
    const answers = await askAll((service) => {
      const request = {
        kinds: filter.kind === "" ? [] : [filter.kind],
        streamIds: filter.stream === "" ? [] : [filter.stream],
        correlationIds: filter.chain === "" ? [] : [filter.chain],
        pageSize: PAGE,
        pageToken: known[service]?.token ?? "",
      };
      return operators.listEvents(request, at(service));
    }, services);
    const next: Parts = { ...known };
    for (const { service, value } of answers) {
      if (value === undefined) continue;
      const events = value.events.map((event) => ({ service, event }));
      next[service] = { events: [...(known[service]?.events ?? []), ...events], token: value.nextPageToken };
    }
    setProblems(answers.filter((one) => one.error !== undefined).map((one) => `${one.service}: ${problemText(one.error)}`));
    return next;
  };
  useEffect(() => {
    let current = true;
    setParts(null);
    void read(filter.services, {}).then((first) => current && setParts(first));
    return () => {
      current = false;
    };
  }, [filter]);
  useEffect(() => void operators.getStatus({}, at("matchmaking")).then((status) => setTraceUrl(status.traceUrl), () => undefined), []);
  useEvery(FOLLOW_EVERY_MS, () => {
    if (follows) void read(filter.services, {}).then(setParts);
  });

  const { shown, behind } = parts === null ? { shown: [], behind: [] } : merged(parts);
  return (
    <Frame title={ct("events.title")}>
      <Search onSearch={setFilter} />
      <label class="switch">
        <input type="checkbox" checked={follows} onChange={(event) => setFollows(event.currentTarget.checked)} />
        {ct("events.follow")}
      </label>
      {problems.map((problem) => (
        <p key={problem} class="problem" role="alert">{problem}</p>
      ))}
      {parts === null ? (
        <p class="loading" role="status">{t("state.loading")}</p>
      ) : shown.length === 0 ? (
        <p class="empty">{ct("events.none")}</p>
      ) : (
        <ul class="event-list" role="list">
          {shown.map((owned) => (
            <EventRow key={owned.event.eventId} owned={owned} traceUrl={traceUrl} />
          ))}
        </ul>
      )}
      {behind.length > 0 && !follows && (
        <button type="button" class="quiet" onClick={() => void read(behind, parts!).then(setParts)}>
          {t("action.more")}
        </button>
      )}
    </Frame>
  );
}

function Search(props: { onSearch: (filter: Filter) => void }) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string): string => String(form.get(name) ?? "").trim();
    const service = text("service");
    props.onSearch({
      services: service === "" ? SERVICES : [service as ServiceName],
      kind: text("kind"),
      stream: text("stream"),
      chain: text("chain"),
    });
  };
  return (
    <form class="search" onSubmit={submit} aria-label={ct("events.search")}>
      <label>
        {ct("events.service")}
        <select name="service">
          <option value="">{ct("events.all")}</option>
          {SERVICES.map((service) => (
            <option key={service} value={service}>
              {service}
            </option>
          ))}
        </select>
      </label>
      <label>
        {ct("events.kind")}
        <input name="kind" placeholder="GameEnded" pattern="[A-Za-z0-9]*" autocomplete="off" spellcheck={false} />
      </label>
      <label>
        {ct("events.stream")}
        <input name="stream" placeholder="UUID" pattern={UUID.source.slice(1, -1).replaceAll("a-f", "a-fA-F")} autocomplete="off" spellcheck={false} />
      </label>
      <label>
        {ct("events.chain")}
        <input name="chain" placeholder="UUID" pattern={UUID.source.slice(1, -1).replaceAll("a-f", "a-fA-F")} autocomplete="off" spellcheck={false} />
      </label>
      <button type="submit">{ct("events.do")}</button>
    </form>
  );
}
