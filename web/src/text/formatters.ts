// The browser's own formatters. Making one takes longer on a phone than drawing a page, so each is made once and kept.

const kept = new Map<string, unknown>();

/// How a language writes numbers.
export function numbers(tag: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return once(`number ${tag} ${JSON.stringify(options)}`, () => new Intl.NumberFormat(tag, options));
}

/// How a language writes times.
export function dates(tag: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return once(`date ${tag} ${JSON.stringify(options)}`, () => new Intl.DateTimeFormat(tag, options));
}

/// Which form of a word a language puts with a number.
export function plurals(tag: string): Intl.PluralRules {
  return once(`plural ${tag}`, () => new Intl.PluralRules(tag));
}

/// The sign between whole and fraction.
export function decimalPoint(tag: string): string {
  return once(`point ${tag}`, () => numbers(tag).formatToParts(1.5).find((part) => part.type === "decimal")?.value ?? ".");
}

function once<T>(key: string, make: () => T): T {
  if (!kept.has(key)) kept.set(key, make());
  return kept.get(key) as T;
}
