// The balance that stands at the top of every page.

import { signal } from "@preact/signals";

import type { Balance } from "../gen/stakemate/wallet/v1/wallet_service_pb.ts";
import { person } from "../session/session.ts";
import { refusalOf } from "../wire/refusal.ts";
import { unary, wallet } from "../wire/transport.ts";

/// The player's first balance; null until it is known.
export const balance = signal<Balance | null>(null);

/// A new player's account is opened within moments of the sign-up; how often and how long it is asked for.
const OPENING_ASK_EVERY_MS = 300;
const OPENING_ASKS_MAX = 60;

/// The player's balances, waiting for an account that is still being opened.
export async function balances(): Promise<Balance[]> {
  for (let asks = 1; ; asks += 1) {
    try {
      const all = (await wallet.getBalance({}, unary)).balances;
      // An account that is just being opened may be answered with nothing in it.
      if (all.length > 0 || asks === OPENING_ASKS_MAX) return all;
    } catch (error) {
      if (refusalOf(error).reason !== "ACCOUNT_UNKNOWN" || asks === OPENING_ASKS_MAX) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, OPENING_ASK_EVERY_MS));
  }
}

/// Asks the wallet. A wallet out of reach leaves what was known.
export async function readBalance(): Promise<void> {
  const owner = person.value?.id;
  if (owner === undefined) {
    balance.value = null;
    return;
  }
  const all = await balances().catch(() => null);
  if (all !== null && person.value?.id === owner) balance.value = all[0] ?? null;
}
