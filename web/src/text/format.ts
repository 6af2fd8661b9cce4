// Money, clocks, times and ratings as people read them.

import type { Money } from "../gen/stakemate/type/v1/money_pb.ts";
import type { TimeControl } from "../gen/stakemate/type/v1/time_control_pb.ts";
import { dates, decimalPoint, numbers } from "./formatters.ts";
import { language, wantedTags } from "./text.ts";

/// Below this a clock shows tenths.
const TENTHS_BELOW_MS = 20_000;

/// The currencies of ISO 4217 that have other than two decimals. The browser knows them too, but takes long to say so.
const DECIMALS: Record<number, string> = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW",
};

/// How many decimals a currency has.
export function decimalsOf(currency: string): number {
  const [decimals] = Object.entries(DECIMALS).find(([, all]) => all.split(" ").includes(currency)) ?? ["2"];
  return Number(decimals);
}

/// An amount, exact: it is never turned into a floating-point number. A change shows its sign.
export function money(amount: Money | undefined, sign: "plain" | "change" = "plain"): string {
  if (amount === undefined) return "–";
  const minus = amount.minorUnits < 0n ? "−" : sign === "change" && amount.minorUnits > 0n ? "+" : "";
  return `${minus}${decimalText(amount, language.value)} ${amount.currency}`;
}

/// An amount's digits without sign, grouped as the language does.
function decimalText(amount: Money, tag: string): string {
  const decimals = decimalsOf(amount.currency);
  const [whole, fraction] = split(amount, decimals);
  const grouped = numbers(tag).format(whole);
  return decimals === 0 ? grouped : `${grouped}${decimalPoint(tag)}${fraction}`;
}

/// An amount for a program: with a point, a sign and no groups.
export function plainAmount(amount: Money | undefined): string {
  if (amount === undefined) return "";
  const decimals = decimalsOf(amount.currency);
  const [whole, fraction] = split(amount, decimals);
  return `${amount.minorUnits < 0n ? "-" : ""}${whole}${decimals === 0 ? "" : `.${fraction}`}`;
}

function split(amount: Money, decimals: number): [bigint, string] {
  const units = amount.minorUnits < 0n ? -amount.minorUnits : amount.minorUnits;
  const scale = 10n ** BigInt(decimals);
  return [units / scale, (units % scale).toString().padStart(decimals, "0")];
}

/// A clock: `1:02:03`, `4:59`, and below twenty seconds `0:09.3`. A running clock is rounded up to the second, so that it
/// shows its full time at the start and 0:00 only when the time is over.
export function clock(ms: number): string {
  if (ms < TENTHS_BELOW_MS) {
    const tenths = Math.floor(ms / 100);
    return `0:${String(Math.floor(tenths / 10)).padStart(2, "0")}.${tenths % 10}`;
  }
  const seconds = Math.ceil(ms / 1_000);
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = String(seconds % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/// A time control as `3+2`.
export function timeControl(control: TimeControl | undefined): string {
  if (control === undefined) return "∞";
  return `${Number(control.baseMs) / 60_000}+${Number(control.incrementMs) / 1_000}`;
}

/// The shown language as it is written where the person lives: `en` is 30 Nov in Britain and Nov 30 in the United States.
export function region(): string {
  return wantedTags().find((tag) => tag.slice(0, 2).toLowerCase() === language.value) ?? language.value;
}

/// A moment.
export function moment(ms: bigint | number): string {
  return dates(region(), { dateStyle: "medium", timeStyle: "short" }).format(Number(ms));
}

/// A day.
export function day(ms: number): string {
  return dates(region(), { dateStyle: "medium" }).format(ms);
}

/// A minute of the day as `07:30`.
export function minuteOfDay(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}

/// A waiting time as `1:05`.
export function waited(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/// Network delay that was credited.
export function credit(ms: number): string {
  return ms < 100 ? `+${ms} ms` : `+${(ms / 1_000).toFixed(1)} s`;
}

/// A rating without decimals.
export function rating(value: number): string {
  return String(Math.round(value));
}

/// Basis points as a percentage.
export function percent(basisPoints: number): string {
  return numbers(language.value, { style: "percent", maximumFractionDigits: 2 }).format(basisPoints / 10_000);
}
