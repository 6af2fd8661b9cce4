// Accounts as a T: what went out on the left, what came in on the right, and what remains.

import type { ComponentChildren } from "preact";

import type { Money } from "../../gen/stakemate/type/v1/money_pb.ts";
import { money } from "../../text/format.ts";
import { Badge } from "./frame.tsx";
import { ct } from "./words.ts";

/// A side's entry.
export interface Side {
  what: string;
  minorUnits: bigint;
}

/// One account, or all of a kind taken together.
export interface TAccountOf {
  name: ComponentChildren;
  key: string;
  note?: string;
  debits: Side[];
  credits: Side[];
}

function sum(sides: Side[]): bigint {
  return sides.reduce((total, side) => total + side.minorUnits, 0n);
}

/// What remains on an account: credits less debits.
export function balanceOf(account: TAccountOf): bigint {
  return sum(account.credits) - sum(account.debits);
}

/// Accounts of one currency, and what all of them come to.
export function TAccounts(props: { currency: string; accounts: TAccountOf[] }) {
  const { currency, accounts } = props;
  const total = accounts.reduce((all, account) => all + balanceOf(account), 0n);
  return (
    <section class="ledger" data-currency={currency} data-sum={total.toString()} aria-label={currency}>
      <ul class="t-accounts" role="list">
        {accounts.map((account) => (
          <TAccount key={account.key} of={account} currency={currency} />
        ))}
      </ul>
      <p class="sum">
        {ct("ledger.sum")} <strong>{amount(total, currency)}</strong>{" "}
        {total === 0n ? <Badge tone="good">{ct("ledger.balanced")}</Badge> : <Badge tone="bad">{ct("ledger.unbalanced")}</Badge>}
      </p>
    </section>
  );
}

function TAccount(props: { of: TAccountOf; currency: string }) {
  const { of, currency } = props;
  const balance = balanceOf(of);
  const rows = Math.max(of.debits.length, of.credits.length);
  return (
    <li class="card t-account" data-account={of.key} data-balance={balance.toString()}>
      <table>
        <caption>
          {of.name}
          {of.note !== undefined && <small> {of.note}</small>}
        </caption>
        <thead>
          <tr>
            <th scope="col">{ct("ledger.debit")}</th>
            <th scope="col">{ct("ledger.credit")}</th>
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: rows }, (_, row) => (
            <tr key={row}>
              <Entry of={of.debits[row]} currency={currency} />
              <Entry of={of.credits[row]} currency={currency} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td colSpan={2}>
              <span>{ct("ledger.balance")}</span> <strong class={balance < 0n ? "down" : ""}>{amount(balance, currency)}</strong>
            </td>
          </tr>
        </tfoot>
      </table>
    </li>
  );
}

function Entry(props: { of: Side | undefined; currency: string }) {
  if (props.of === undefined) return <td />;
  return (
    <td>
      {props.of.what !== "" && <small>{props.of.what} </small>}
      <span class="amount">{amount(props.of.minorUnits, props.currency).slice(0, -props.currency.length)}</span>
    </td>
  );
}

function amount(minorUnits: bigint, currency: string): string {
  return money({ minorUnits, currency } as Money);
}
