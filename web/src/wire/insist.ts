// Commands that are repeated until they are answered: their request id makes that harmless.

import { isPassing } from "./refusal.ts";

const RETRY_MS_MIN = 200;
const RETRY_MS_MAX = 3_000;

/// A command is sent again after so long without an answer.
export const ATTEMPT = { timeoutMs: 5_000 };

/// Sends until there is an answer or a refusal, or until it has been seen that none is needed.
export async function insist<T>(send: () => Promise<T>, isSettled: () => boolean = () => false): Promise<T | null> {
  let waitMs = RETRY_MS_MIN;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (isSettled()) return null;
      if (!isPassing(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random())));
    if (isSettled()) return null;
    waitMs = Math.min(waitMs * 2, RETRY_MS_MAX);
  }
}
