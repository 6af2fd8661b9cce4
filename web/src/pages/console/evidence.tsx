// What a player's games in a time class amount to, with everything it follows from: nobody is to decide on a number alone.

import { EvidenceLevel, type Assessment, type ChannelStanding, type TellingGameMove } from "../../gen/stakemate/fairplay/v1/fairplay_service_pb.ts";
import { moment } from "../../text/format.ts";
import { numbers } from "../../text/formatters.ts";
import { language } from "../../text/text.ts";
import { Badge, Facts, figure } from "./frame.tsx";
import { ct, ctKnown } from "./words.ts";

/// Beyond so many deviations the scale of a channel ends.
const Z_MAX = 8;
const SCALE = 240;

/// The evidence in one time class.
export function Evidence(props: { of: Assessment }) {
  const { of } = props;
  const level = EvidenceLevel[of.level];
  return (
    <section class="evidence card" aria-label={ctKnown("class", of.timeClass)} data-level={level} data-class={of.timeClass}>
      <div class="heading">
        <h2>{ct("evidence.title", { class: ctKnown("class", of.timeClass) })}</h2>
        <Badge tone={toneOf(of.level)}>{ctKnown("level", level)}</Badge>
      </div>
      <div class="figures-row">
        <Figure name={ct("evidence.bayes")} value={signed(of.logBayes, 1)} note={ct("evidence.bayesNote")} />
        <Figure name={ct("evidence.share")} value={percent(of.engineShare, 0)} note={ct("evidence.shareNote")} />
        <Figure name={ct("evidence.stronger")} value={signed(of.strongerBy, 0)} note={ct("evidence.strongerNote")} />
        <Figure name={ct("evidence.false")} value={falseAlarms(of)} note={ct("evidence.falseNote")} />
      </div>
      <h3>{ct("evidence.channels")}</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label={ct("evidence.channels")}>
        <table class="channels">
          <thead>
            <tr>
              <th scope="col">{ct("evidence.channel")}</th>
              <th scope="col" class="number">{ct("evidence.moves")}</th>
              <th scope="col" class="number">{ct("evidence.observed")}</th>
              <th scope="col" class="number">{ct("evidence.expected")}</th>
              <th scope="col" class="number">σ</th>
              <th scope="col" class="number">z</th>
              <th scope="col">
                <span class="unseen">{ct("evidence.scale")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            <Channel name={ct("evidence.matches")} of={of.matches} digits={1} />
            <Channel name={ct("evidence.spared")} of={of.spared} digits={2} />
          </tbody>
        </table>
      </div>
      <p class="small">{ct("evidence.strongerMark")}</p>
      <Time of={of} />
      <Telling of={of.telling} />
      <Excluded of={of.excluded} moves={of.moves} />
      {of.whatWouldChangeIt !== "" && <p class="note">{of.whatWouldChangeIt}</p>}
      <Facts
        of={[
          [ct("evidence.games"), `${figure(of.games)} · ${ct("evidence.secondPass", { n: of.secondPassGames })}`],
          [ct("evidence.moves"), figure(of.moves)],
          [ct("evidence.engine"), `${of.engine}, ${ct("evidence.nodes", { n: figure(of.nodes) })}`],
          [ct("evidence.calibration"), <code>{of.calibrationId}</code>],
          [ct("evidence.at"), moment(of.assessedAtMs)],
        ]}
      />
    </section>
  );
}

function toneOf(level: EvidenceLevel): "good" | "bad" | "note" | "plain" {
  if (level === EvidenceLevel.FLAG || level === EvidenceLevel.HOLD) return "bad";
  if (level === EvidenceLevel.REVIEW) return "note";
  return level === EvidenceLevel.CLEAN ? "good" : "plain";
}

function Figure(props: { name: string; value: string; note: string }) {
  return (
    <div class="one-figure">
      <span>{props.name}</span>
      <strong>{props.value}</strong>
      <small>{props.note}</small>
    </div>
  );
}

function Channel(props: { name: string; of: ChannelStanding | undefined; digits: number }) {
  const { of, digits } = props;
  if (of?.sums === undefined) return null;
  // Losses spared are kept as negative losses; a person reads losses.
  const shown = (value: number): string => figure(Math.abs(value), digits);
  return (
    <tr>
      <th scope="row">{props.name}</th>
      <td class="number">{figure(of.sums.moves)}</td>
      <td class="number">{shown(of.sums.observed)}</td>
      <td class="number">{shown(of.sums.expected)}</td>
      <td class="number">{figure(of.deviation, digits)}</td>
      <td class="number">
        <strong>{signed(of.z, 1)}</strong>
      </td>
      <td class="z-scale">
        <ZScale z={of.z} stronger={of.zStronger} />
      </td>
    </tr>
  );
}

/// How many deviations above the expected, as a person of the rating and as a much stronger one.
function ZScale(props: { z: number; stronger: number }) {
  const x = (z: number): number => ((Math.max(-Z_MAX, Math.min(Z_MAX, z)) + Z_MAX) / (2 * Z_MAX)) * SCALE;
  const [from, to] = [Math.min(x(0), x(props.z)), Math.max(x(0), x(props.z))];
  return (
    <svg viewBox={`0 0 ${SCALE} 24`} width={SCALE} height="24" aria-hidden="true">
      <rect class="usual" x={x(-2)} width={x(2) - x(-2)} y="2" height="20" rx="3" />
      <rect class="z" x={from} width={Math.max(2, to - from)} y="8" height="8" />
      <line class="zero" x1={x(0)} x2={x(0)} y1="2" y2="22" />
      <circle class="stronger" cx={x(props.stronger)} cy="12" r="4" />
    </svg>
  );
}

function Time(props: { of: Assessment }) {
  const { of } = props;
  if (of.timeGames === 0) return <p class="small">{ct("evidence.noTimes")}</p>;
  const [low, high] = [figure(of.humanCorrelationLow, 2), figure(of.humanCorrelationHigh, 2)];
  return (
    <>
      <h3>{ct("evidence.time")}</h3>
      <Facts
        of={[
          [ct("evidence.correlation"), `${figure(of.correlation, 2)} · ${ct("evidence.human", { low, high })}`],
          [ct("evidence.even"), ct("evidence.ofGames", { n: of.evenGames, all: of.timeGames })],
          [ct("evidence.timed"), figure(of.timedMoves)],
        ]}
      />
    </>
  );
}

function Telling(props: { of: TellingGameMove[] }) {
  if (props.of.length === 0) return null;
  return (
    <>
      <h3>{ct("evidence.telling")}</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label={ct("evidence.telling")}>
        <table>
          <thead>
            <tr>
              <th scope="col">{ct("evidence.move")}</th>
              <th scope="col" class="number">{ct("evidence.person")}</th>
              <th scope="col" class="number">{ct("evidence.gaveAway")}</th>
              <th scope="col" class="number">{ct("evidence.weight")}</th>
            </tr>
          </thead>
          <tbody>
            {props.of.map(({ gameId, move }) => (
              <tr key={`${gameId} ${move!.ply}`} data-telling={move!.ply}>
                <td>
                  <a href={`/replay/${gameId}#${move!.ply}`}>
                    {Math.ceil(move!.ply / 2)}
                    {move!.ply % 2 === 1 ? "." : "…"} {move!.uci}
                  </a>
                </td>
                <td class="number">{percent(move!.humanProbability, 1)}</td>
                <td class="number">{figure(move!.loss, 1)}</td>
                <td class="number">{signed(move!.weight, 2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Excluded(props: { of: Record<string, number>; moves: number }) {
  const reasons = Object.entries(props.of).sort(([, one], [, other]) => other - one);
  if (reasons.length === 0) return null;
  return (
    <>
      <h3>{ct("evidence.excluded")}</h3>
      <ul class="chips" role="list">
        {reasons.map(([reason, count]) => (
          <li key={reason}>
            {ctKnown("excluded", reason)} <strong>{figure(count)}</strong>
          </li>
        ))}
        <li>
          {ct("evidence.counted")} <strong>{figure(props.moves)}</strong>
        </li>
      </ul>
    </>
  );
}

function falseAlarms(of: Assessment): string {
  if (of.falseAlarms === undefined) return "–";
  return `${percent(of.falseAlarms.share, 2)} (≤ ${percent(of.falseAlarms.upper, 2)})`;
}

function percent(share: number, digits: number): string {
  return numbers(language.value, { style: "percent", maximumFractionDigits: digits }).format(share);
}

function signed(value: number, digits: number): string {
  const options = { signDisplay: "exceptZero", minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
  return numbers(language.value, options).format(value);
}
