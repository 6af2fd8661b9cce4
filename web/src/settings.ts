// What a person has chosen, kept on the device.

import { effect, signal, type Signal } from "@preact/signals";

const KEPT = "stakemate.settings";

export const THEMES = ["system", "light", "dark"] as const;
export const BOARDS = ["wood", "sea", "moss", "slate"] as const;
export const PIECES = ["classic", "ivory"] as const;

/// All choices.
export interface Settings {
  theme: (typeof THEMES)[number];
  board: (typeof BOARDS)[number];
  pieces: (typeof PIECES)[number];
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
    const { theme, board, pieces } = settings.value;
    root.theme = theme;
    root.board = board;
    root.pieces = pieces;
  });
}
