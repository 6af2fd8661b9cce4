// Where the consoles are. They are one script of their own, which players never load.

type Console = typeof import("./console.tsx");

const page = (name: keyof Console) => async (): Promise<unknown> => {
  const console = await import("./console.tsx");
  await console.loadConsoleWords();
  return console[name];
};

/// The consoles' addresses, and which role opens them.
export const CONSOLE_PLACES = [
  { pattern: "/console", access: "staff", load: page("ConsoleStart") },
  { pattern: "/console/services", access: "operator", load: page("Services") },
  { pattern: "/console/events", access: "operator", load: page("Events") },
  { pattern: "/console/match", access: "operator", load: page("MatchSearch") },
  { pattern: "/console/match/:id", access: "operator", load: page("MatchTimeline") },
  { pattern: "/console/ledger", access: "operator", load: page("Ledger") },
  { pattern: "/console/dead-letters", access: "operator", load: page("DeadLetters") },
  { pattern: "/console/queues", access: "operator", load: page("Queues") },
  { pattern: "/console/cases", access: "moderator", load: page("Cases") },
  { pattern: "/console/cases/:id", access: "moderator", load: page("CasePage") },
];
