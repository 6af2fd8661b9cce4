// Every service at a glance: health, version, what waits, and how far its consumers are.

import type { ConsumerStatus, GetStatusResponse } from "../../gen/stakemate/operator/v1/operator_service_pb.ts";
import { Loaded, useEvery, useLoading } from "../../parts/parts.tsx";
import { moment } from "../../text/format.ts";
import { Badge, Facts, figure, Frame, lasted } from "./frame.tsx";
import { askAll, at, operators, type Answer } from "./wire.ts";
import { ct, problemText } from "./words.ts";

const ASK_EVERY_MS = 5_000;

/// The page of the services.
export function Services() {
  const [all, again] = useLoading(() => askAll((service) => operators.getStatus({}, at(service))), []);
  useEvery(ASK_EVERY_MS, again);
  return (
    <Frame title={ct("services.title")}>
      <Loaded from={all} again={again}>
        {(answers) => (
          <ul class="services" role="list">
            {answers.map((answer) => (
              <Service key={answer.service} answer={answer} />
            ))}
          </ul>
        )}
      </Loaded>
    </Frame>
  );
}

function Service(props: { answer: Answer<GetStatusResponse> }) {
  const { service, value, error } = props.answer;
  return (
    <li class="card service" data-service={service} data-state={stateOf(props.answer)}>
      <div class="heading">
        <h2>{service}</h2>
        <State answer={props.answer} />
      </div>
      {value === undefined ? <p class="problem">{problemText(error)}</p> : <Standing status={value} />}
    </li>
  );
}

function stateOf({ value }: Answer<GetStatusResponse>): "away" | "waiting" | "ready" {
  if (value === undefined) return "away";
  return value.waitingFor.length > 0 || !value.brokerConnected ? "waiting" : "ready";
}

function State(props: { answer: Answer<GetStatusResponse> }) {
  const { value } = props.answer;
  if (value === undefined) return <Badge tone="bad">{ct("services.away")}</Badge>;
  if (!value.brokerConnected) return <Badge tone="bad">{ct("services.noBroker")}</Badge>;
  if (value.waitingFor.length > 0) return <Badge tone="note">{ct("services.waitsFor", { what: value.waitingFor.join(", ") })}</Badge>;
  return <Badge tone="good">{ct("services.ready")}</Badge>;
}

function Standing(props: { status: GetStatusResponse }) {
  const { status } = props;
  const outbox = figure(status.outboxWaiting);
  return (
    <>
      <Facts
        of={[
          [ct("services.version"), status.version],
          [ct("services.since"), moment(status.startedAtMs)],
          [ct("services.database"), `${figure(Number(status.databaseUs) / 1_000, 1)} ms`],
          [ct("services.outbox"), status.outboxWaiting > 0n ? `${outbox} · ${lasted(Number(status.outboxWaitingMs))}` : outbox],
        ]}
      />
      {status.consumers.length === 0 ? (
        <p class="small">{ct("services.followsNobody")}</p>
      ) : (
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">{ct("services.follows")}</th>
              <th scope="col" class="number">{ct("services.lag")}</th>
              <th scope="col" class="number">{ct("services.inHand")}</th>
              <th scope="col" class="number">{ct("services.parked")}</th>
            </tr>
          </thead>
          <tbody>
            {status.consumers.map((consumer) => (
              <Consumer key={consumer.name} of={consumer} service={status.service} />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function Consumer(props: { of: ConsumerStatus; service: string }) {
  const { of } = props;
  const known = (value: bigint | undefined): string => (value === undefined ? "–" : figure(value));
  return (
    <tr data-consumer={of.name}>
      <th scope="row">{of.name.replace(`${props.service}_`, "")}{of.sourceService !== "" && <small> ← {of.sourceService}</small>}</th>
      <td class="number" data-lag={of.waiting?.toString()}>{known(of.waiting)}</td>
      <td class="number">{known(of.inHand)}</td>
      <td class="number">{of.parked > 0n ? <a href="/console/dead-letters">{figure(of.parked)}</a> : "0"}</td>
    </tr>
  );
}
