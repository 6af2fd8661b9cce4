// The wallet: balances, and where every coin went.

import { useState } from "preact/hooks";

import { csvOf } from "../wallet/csv.ts";
import { TransferKind, type StatementLine } from "../gen/stakemate/wallet/v1/wallet_service_pb.ts";
import { Loaded, Title, useLoading } from "../parts/parts.tsx";
import { save } from "../parts/save.ts";
import { balances } from "../shell/balance.ts";
import { money, moment } from "../text/format.ts";
import { t, tKnown } from "../text/text.ts";
import { refusalText } from "../wire/refusal.ts";
import { unary, wallet } from "../wire/transport.ts";
import { Limits } from "./wallet-limits.tsx";

const PAGE = 20;
/// Largest page that the wallet gives; a file is made of such.
const PAGE_MAX = 100;

/// Balances and statement of the signed-in player.
export function WalletPage() {
  const [known, again] = useLoading(balances, []);
  return (
    <section class="wallet">
      <Title>{t("wallet.title")}</Title>
      <Loaded from={known} again={again}>
        {(all) => (
          <ul class="balances">
            {all.map((one) => (
              <li class="card" key={one.available?.currency}>
                <dl>
                  <div>
                    <dt>{t("wallet.available")}</dt>
                    <dd class="big" data-available={one.available?.minorUnits.toString()}>{money(one.available)}</dd>
                  </div>
                  <div>
                    <dt>{t("wallet.held")}</dt>
                    <dd data-held={one.held?.minorUnits.toString()}>{money(one.held)}</dd>
                  </div>
                  {(one.withheld?.minorUnits ?? 0n) > 0n && (
                    <div>
                      <dt>{t("wallet.withheld")}</dt>
                      <dd data-withheld={one.withheld?.minorUnits.toString()}>{money(one.withheld)}</dd>
                    </div>
                  )}
                </dl>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Statement />
      {known.state === "ready" && <Limits currency={known.value[0]?.available?.currency ?? ""} />}
    </section>
  );
}

function Statement() {
  const [more, setMore] = useState<{ lines: StatementLine[]; token: string } | null>(null);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const [first, again] = useLoading(() => wallet.listStatement({ pageSize: PAGE }, unary), []);
  const run = (work: () => Promise<void>): void => {
    setBusy(true);
    setProblem("");
    work()
      .catch((error: unknown) => setProblem(refusalText(error)))
      .finally(() => setBusy(false));
  };
  return (
    <>
      <div class="heading">
        <h2>{t("wallet.statement")}</h2>
        <button type="button" class="quiet" disabled={busy} onClick={() => run(download)}>
          {t("wallet.csv")}
        </button>
      </div>
      <Loaded from={first} again={again}>
        {(page) => {
          const lines = [...page.lines, ...(more?.lines ?? [])];
          const token = more === null ? page.nextPageToken : more.token;
          const next = async (): Promise<void> => {
            const got = await wallet.listStatement({ pageSize: PAGE, pageToken: token }, unary);
            setMore({ lines: [...(more?.lines ?? []), ...got.lines], token: got.nextPageToken });
          };
          return (
            <>
              <Lines lines={lines} />
              {token !== "" && (
                <button type="button" class="quiet" disabled={busy} onClick={() => run(next)}>
                  {t("action.more")}
                </button>
              )}
            </>
          );
        }}
      </Loaded>
      {problem !== "" && <p class="problem" role="alert">{problem}</p>}
    </>
  );
}

function Lines(props: { lines: StatementLine[] }) {
  if (props.lines.length === 0) return <p class="empty">{t("wallet.nothing")}</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t("wallet.statement")}>
      <table class="statement">
        <thead>
          <tr>
            <th scope="col">{t("wallet.when")}</th>
            <th scope="col">{t("wallet.what")}</th>
            <th scope="col" class="number">{t("wallet.change")}</th>
            <th scope="col" class="number">{t("wallet.after")}</th>
          </tr>
        </thead>
        <tbody>
          {props.lines.map((line) => (
            <tr key={line.transferId} data-kind={TransferKind[line.kind]}>
              <td>{moment(line.recordedAtMs)}</td>
              <td>
                {nameOf(line)}
                {(line.fee?.minorUnits ?? 0n) > 0n && <small> {t("wallet.feeOf", { fee: money(line.fee) })}</small>}
                {line.gameId !== "" && (
                  <>
                    {" "}
                    <a href={`/replay/${line.gameId}`}>{t("wallet.game")}</a>
                  </>
                )}
              </td>
              <td class={`number ${toneOf(line)}`}>
                {money(line.availableChange, "change")}
              </td>
              <td class="number">{money(line.availableAfter)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function toneOf(line: StatementLine): "up" | "down" | "" {
  const change = line.availableChange?.minorUnits ?? 0n;
  return change === 0n ? "" : change < 0n ? "down" : "up";
}

function nameOf(line: StatementLine): string {
  const lost = line.kind === TransferKind.PAYOUT && (line.availableChange?.minorUnits ?? 0n) === 0n;
  return lost ? t("result.potLost") : tKnown("kind", TransferKind[line.kind]);
}

/// The whole statement as a file, made here of its pages.
async function download(): Promise<void> {
  const lines: StatementLine[] = [];
  let pageToken = "";
  do {
    const page = await wallet.listStatement({ pageSize: PAGE_MAX, pageToken }, unary);
    lines.push(...page.lines);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  save("stakemate-statement.csv", "text/csv", csvOf(lines));
}
