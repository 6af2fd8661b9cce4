// Messages that a service could not handle: try again, leave out, and what was done about them.

import { useState } from "preact/hooks";

import { DeadLetterActionKind, DeadLetterReason, type DeadLetter, type DeadLetterAction } from "../../gen/stakemate/operator/v1/operator_service_pb.ts";
import { Loaded, useEvery, useLoading } from "../../parts/parts.tsx";
import { moment } from "../../text/format.ts";
import { requestId } from "../../wire/request-id.ts";
import { Badge, Facts, figure, Frame, PlayerName, Reasoned } from "./frame.tsx";
import { askAll, at, operators, short, type Answer, type ServiceName } from "./wire.ts";
import { ct, ctKnown, problemText } from "./words.ts";

const ASK_EVERY_MS = 3_000;
/// Letters and actions of one service that are shown; more than that is no work for a mouse.
const SHOWN = 100;

interface Found {
  letters: DeadLetter[];
  more: boolean;
  actions: DeadLetterAction[];
}

interface Chosen {
  service: ServiceName;
  letter: DeadLetter;
  what: "retry" | "skip";
  requestId: string;
}

/// The page of the dead letters.
export function DeadLetters() {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [said, setSaid] = useState("");
  const [all, again] = useLoading(() => askAll(find), []);
  useEvery(ASK_EVERY_MS, again);
  const act = async (reason: string): Promise<void> => {
    const { service, letter, what, requestId } = chosen!;
    const { consumer, streamId, version } = letter;
    const request = { requestId, consumer, streamId, version, reason };
    if (what === "retry") await operators.retryDeadLetter(request, at(service));
    else await operators.skipDeadLetter(request, at(service));
    setChosen(null);
    setSaid(ct(what === "retry" ? "letters.retried" : "letters.skipped", { consumer }));
    again();
  };
  return (
    <Frame title={ct("letters.title")}>
      <p class="lead">{ct("letters.lead")}</p>
      <p class="note" role="status" hidden={said === ""}>{said}</p>
      <Loaded from={all} again={again}>
        {(answers) => (
          <>
            <Letters answers={answers} onChoose={(one) => setChosen({ ...one, requestId: requestId() })} />
            <Actions answers={answers} />
          </>
        )}
      </Loaded>
      {chosen !== null && (
        <Reasoned
          title={ct(chosen.what === "retry" ? "letters.retry" : "letters.skip")}
          text={ct(chosen.what === "retry" ? "letters.retrySure" : "letters.skipSure", {
            event: eventOf(chosen.letter.subject),
            version: Number(chosen.letter.version),
            consumer: chosen.letter.consumer,
          })}
          yes={ct(chosen.what === "retry" ? "letters.retry" : "letters.skip")}
          tone={chosen.what === "retry" ? "plain" : "danger"}
          onYes={act}
          onNo={() => setChosen(null)}
        />
      )}
    </Frame>
  );
}

async function find(service: ServiceName): Promise<Found> {
  const [letters, actions] = await Promise.all([
    operators.listDeadLetters({ pageSize: SHOWN }, at(service)),
    operators.listDeadLetterActions({ pageSize: 20 }, at(service)),
  ]);
  return { letters: letters.deadLetters, more: letters.nextPageToken !== "", actions: actions.actions };
}

function eventOf(subject: string): string {
  return subject.split(".").at(-1) ?? subject;
}

function Letters(props: { answers: Answer<Found>[]; onChoose: (one: Omit<Chosen, "requestId">) => void }) {
  const failed = props.answers.filter((one) => one.value === undefined);
  const found = props.answers.flatMap(({ service, value }) => (value?.letters ?? []).map((letter) => ({ service, letter })));
  const more = props.answers.filter((one) => one.value?.more).map((one) => one.service);
  return (
    <>
      {failed.map((one) => (
        <p key={one.service} class="problem" role="alert">
          {one.service}: {problemText(one.error)}
        </p>
      ))}
      {found.length === 0 && failed.length === 0 && <p class="empty">{ct("letters.none")}</p>}
      <ul class="letters" role="list">
        {found.map(({ service, letter }) => (
          <Letter key={`${letter.consumer} ${letter.streamId} ${letter.version}`} service={service} letter={letter} onChoose={props.onChoose} />
        ))}
      </ul>
      {more.length > 0 && <p class="small">{ct("letters.more", { n: SHOWN, services: more.join(", ") })}</p>}
    </>
  );
}

function Letter(props: { service: ServiceName; letter: DeadLetter; onChoose: (one: Omit<Chosen, "requestId">) => void }) {
  const { service, letter } = props;
  const reason = DeadLetterReason[letter.reason];
  const choose = (what: "retry" | "skip") => () => props.onChoose({ service, letter, what });
  return (
    <li class="card letter" data-letter={letter.streamId} data-reason={reason}>
      <div class="heading">
        <h2>
          {eventOf(letter.subject)} <small>{ct("letters.for", { consumer: letter.consumer })}</small>
        </h2>
        <Badge tone={letter.reason === DeadLetterReason.FAULT ? "bad" : "note"}>{ctKnown("letterReason", reason)}</Badge>
      </div>
      {letter.error !== "" && <p class="error">{letter.error}</p>}
      <Facts
        of={[
          [ct("event.stream"), <code>{letter.streamId}</code>],
          [ct("event.version"), figure(letter.version)],
          [ct("letters.attempts"), figure(letter.attempts)],
          [ct("letters.parked"), moment(letter.parkedAtMs)],
        ]}
      />
      {letter.reason === DeadLetterReason.BEHIND ? (
        <p class="small">{ct("letters.behind")}</p>
      ) : letter.retryRequested ? (
        <p class="small" role="status">{ct("letters.retrying")}</p>
      ) : (
        <div class="buttons">
          <button type="button" onClick={choose("retry")}>
            {ct("letters.retry")}
          </button>
          <button type="button" class="quiet danger" onClick={choose("skip")}>
            {ct("letters.skip")}
          </button>
        </div>
      )}
    </li>
  );
}

function Actions(props: { answers: Answer<Found>[] }) {
  const all = props.answers.flatMap(({ value }) => value?.actions ?? []);
  all.sort((one, other) => Number(other.actedAtMs - one.actedAtMs));
  if (all.length === 0) return null;
  return (
    <>
      <h2>{ct("letters.done")}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={ct("letters.done")}>
        <table class="actions-done">
          <thead>
            <tr>
              <th scope="col">{ct("letters.when")}</th>
              <th scope="col">{ct("letters.what")}</th>
              <th scope="col">{ct("letters.who")}</th>
              <th scope="col">{ct("letters.why")}</th>
            </tr>
          </thead>
          <tbody>
            {all.map((done) => (
              <tr key={`${done.actedAtMs} ${done.streamId} ${done.version}`} data-done={DeadLetterActionKind[done.kind]}>
                <td>{moment(done.actedAtMs)}</td>
                <td>
                  {ctKnown("letterAction", DeadLetterActionKind[done.kind])} {eventOf(done.subject)}{" "}
                  <small>
                    {short(done.streamId)} · {done.consumer}
                  </small>
                </td>
                <td>{/^[0-9a-f-]{36}$/.test(done.actor) ? <PlayerName id={done.actor} /> : done.actor}</td>
                <td>{done.reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
