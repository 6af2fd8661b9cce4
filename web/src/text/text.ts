// Words in the person's language. Every language has every key: the compiler sees to it.

import { computed, signal } from "@preact/signals";

import { settings } from "../settings.ts";
import { en } from "./en.ts";
import { numbers, plurals } from "./formatters.ts";

/// A language's words.
export type Words = Record<keyof typeof en, string>;
/// A key of them.
export type TextKey = keyof typeof en;

/// The languages by tag, each named by itself.
export const LANGUAGES = { en: "English", es: "Español", de: "Deutsch", ru: "Русский" } as const;
/// A language's tag.
export type Language = keyof typeof LANGUAGES;

const loaders: Record<Language, () => Promise<Words>> = {
  en: async () => en,
  es: async () => (await import("./es.ts")).es,
  de: async () => (await import("./de.ts")).de,
  ru: async () => (await import("./ru.ts")).ru,
};

const words = signal<{ language: Language; all: Words }>({ language: "en", all: en });

/// The language that is shown.
export const language = computed(() => words.value.language);

/// What the person reads, best first, as the browser says; nothing outside of one.
export function wantedTags(): readonly string[] {
  return typeof navigator === "undefined" ? [] : (navigator.languages ?? []);
}

/// The language that is wanted: the chosen one, else the browser's first that we have.
export function wantedLanguage(): Language {
  for (const tag of [settings.value.language, ...wantedTags()]) {
    const short = tag.slice(0, 2).toLowerCase();
    if (short in LANGUAGES) return short as Language;
  }
  return "en";
}

/// Loads and shows the wanted language.
export async function loadLanguage(): Promise<void> {
  const wanted = wantedLanguage();
  const all = await loaders[wanted]().catch(() => null);
  if (all === null) return;
  document.documentElement.lang = wanted;
  words.value = { language: wanted, all };
}

/// Whether there is a text with this key.
export function hasText(key: string): boolean {
  return key in en;
}

/// The text for a value that a service may have more of than we know: its own, else the one for the unknown.
export function tKnown(prefix: string, name: string | undefined, values: Record<string, string | number> = {}): string {
  const key = `${prefix}.${name ?? ""}`;
  return t((hasText(key) ? key : `${prefix}.UNSPECIFIED`) as TextKey, values);
}

/// The text of a key with its places filled in.
export function t(key: TextKey, values: Record<string, string | number> = {}): string {
  return words.value.all[key].replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}

/// A text that stands alone begins with a capital, wherever else it is used.
export function capital(text: string): string {
  return text.charAt(0).toLocaleUpperCase(words.value.language) + text.slice(1);
}

/// One of the forms of a text, as `one|few|many`, that fits a count. Languages with fewer forms repeat the last.
export function count(key: TextKey, n: number): string {
  const forms = words.value.all[key].split("|");
  const category = plurals(words.value.language).select(n);
  const index = category === "one" ? 0 : category === "few" && forms.length > 2 ? 1 : forms.length - 1;
  return forms[index]!.replaceAll("{n}", numbers(words.value.language).format(n));
}
