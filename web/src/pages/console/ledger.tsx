// All money: what stands on the accounts of each kind, and that it comes to nothing in each currency.

import { AccountKind } from "../../gen/stakemate/wallet/v1/event_pb.ts";
import type { AccountTotal } from "../../gen/stakemate/wallet/v1/ledger_service_pb.ts";
import { Loaded, useLoading } from "../../parts/parts.tsx";
import { unary } from "../../wire/transport.ts";
import { figure, Frame } from "./frame.tsx";
import { TAccounts, type TAccountOf } from "./t-account.tsx";
import { ledger } from "./wire.ts";
import { ct, ctKnown } from "./words.ts";

/// The page of the ledger.
export function Ledger() {
  const [totals, again] = useLoading(async () => (await ledger.listAccountTotals({}, unary)).totals, []);
  return (
    <Frame
      title={ct("ledger.title")}
      aside={
        <button type="button" class="quiet" onClick={again}>
          {ct("ledger.again")}
        </button>
      }
    >
      <p class="lead">{ct("ledger.lead")}</p>
      <Loaded from={totals} again={again}>
        {(all) => {
          const currencies = [...new Set(all.map((total) => total.currency))];
          if (currencies.length === 0) return <p class="empty">{ct("ledger.none")}</p>;
          return currencies.map((currency) => (
            <div key={currency} class="currency">
              <h2>{currency}</h2>
              <TAccounts currency={currency} accounts={all.filter((total) => total.currency === currency).map(accountOf)} />
            </div>
          ));
        }}
      </Loaded>
    </Frame>
  );
}

function accountOf(total: AccountTotal): TAccountOf {
  const name = AccountKind[total.account];
  return {
    key: name,
    name: ctKnown("account", name),
    note: ct("ledger.counts", { accounts: figure(total.accounts), entries: figure(total.entries) }),
    debits: [{ what: "", minorUnits: total.debitMinorUnits }],
    credits: [{ what: "", minorUnits: total.creditMinorUnits }],
  };
}
