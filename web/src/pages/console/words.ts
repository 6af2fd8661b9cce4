// The consoles' words, loaded with the consoles: nobody else has to carry them.

import { signal } from "@preact/signals";

import { refusalOf, refusalText } from "../../wire/refusal.ts";
import { type Language, language } from "../../text/text.ts";
import { en } from "./text/en.ts";

/// A language's words.
export type ConsoleWords = Record<keyof typeof en, string>;
/// A key of them.
export type ConsoleKey = keyof typeof en;

const loaders: Record<Language, () => Promise<ConsoleWords>> = {
  en: async () => en,
  es: async () => (await import("./text/es.ts")).es,
  de: async () => (await import("./text/de.ts")).de,
  ru: async () => (await import("./text/ru.ts")).ru,
};

const shown = signal<{ language: Language; all: ConsoleWords }>({ language: "en", all: en });

/// Loads the words of the language that the application shows.
export async function loadConsoleWords(): Promise<void> {
  const wanted = language.value;
  if (shown.value.language === wanted) return;
  const all = await loaders[wanted]().catch(() => null);
  if (all !== null) shown.value = { language: wanted, all };
}

/// The text of a key with its places filled in.
export function ct(key: ConsoleKey, values: Record<string, string | number> = {}): string {
  return shown.value.all[key].replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}

/// A sentence on what went wrong with a call, in the consoles' words if they have one.
export function problemText(error: unknown): string {
  const { reason, metadata } = refusalOf(error);
  const key = `refusal.${reason}`;
  return key in en ? ct(key as ConsoleKey, metadata) : refusalText(error);
}

/// The text for a value that a service may have more of than we know: its own, else the value itself.
export function ctKnown(prefix: string, name: string): string {
  const key = `${prefix}.${name}`;
  return key in en ? ct(key as ConsoleKey) : name;
}
