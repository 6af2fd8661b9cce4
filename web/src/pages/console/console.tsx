// The consoles' one entry: what the router loads.

import { useEffect } from "preact/hooks";

import { go } from "../../router.ts";
import { hasRole } from "../../session/session.ts";

export { CasePage } from "./case.tsx";
export { Cases } from "./cases.tsx";
export { DeadLetters } from "./dead-letters.tsx";
export { Events } from "./events.tsx";
export { Ledger } from "./ledger.tsx";
export { MatchSearch, MatchTimeline } from "./match.tsx";
export { Queues } from "./queues.tsx";
export { Services } from "./services.tsx";
export { loadConsoleWords } from "./words.ts";

/// Leads to the first page that the person may see.
export function ConsoleStart() {
  useEffect(() => go(hasRole("operator") ? "/console/services" : "/console/cases", "replace"), []);
  return null;
}
