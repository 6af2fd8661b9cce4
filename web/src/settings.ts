// What a person has chosen, kept on the device.

import { effect, signal, type Signal } from "@preact/signals";

const KEPT = "stakemate.settings";

export const THEMES = ["system", "light", "dark"] as const;
export const BOARDS = ["wood", "sea", "moss", "slate"] as const;
export const PIECES = ["classic", "ivory", "turned"] as const;
export const VIEWS = ["flat", "space"] as const;

/// All choices.
export interface Settings {
  theme: (typeof THEMES)[number];
  board: (typeof BOARDS)[number];
  pieces: (typeof PIECES)[number];
  /// The board from above, or in space with pieces that stand on it.
  view: (typeof VIEWS)[number];
  coordinates: boolean;
  legalMoves: boolean;
  sound: boolean;
  autoQueen: boolean;
  /// A language's tag, or empty for the browser's.
  language: string;
}

const DEFAULTS: Settings = {
  theme: "system",
  board: "wood",
  pieces: "classic",
  view: "flat",
  coordinates: true,
  legalMoves: true,
  sound: true,
  autoQueen: false,
  language: "",
};

function read(): Settings {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Partial<Settings>;
    return { ...DEFAULTS, ...kept };
  } catch {
    return DEFAULTS;
  }
}

/// The present choices.
export const settings: Signal<Settings> = signal(read());

/// Changes some of them.
export function choose(change: Partial<Settings>): void {
  settings.value = { ...settings.value, ...change };
  localStorage.setItem(KEPT, JSON.stringify(settings.value));
}

/// Puts the look of the page where the style sheets find it.
export function applyLook(): void {
  effect(() => {
    const root = document.documentElement.dataset;
    const { theme, board, pieces, view } = settings.value;
    root.theme = theme;
    root.board = board;
    root.pieces = pieces;
    root.view = view;
    if (pieces === "turned" || view === "space") loadTurnedPieces();
  });
}

/// The style sheet of the turned pieces is loaded once, by whoever wants to see them.
function loadTurnedPieces(): void {
  const address = document.querySelector<HTMLMetaElement>("meta[name=turned-pieces]")?.content;
  if (address === undefined || document.querySelector(`link[href="${address}"]`) !== null) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = address;
  document.head.append(link);
}
