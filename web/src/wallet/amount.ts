// Amounts that people type.

/// What was typed in whole units, as minor units; null when it is no amount or has more decimals than the currency.
export function typedAmount(text: string, decimals: number): bigint | null {
  const match = /^(\d{1,12})(?:[.,](\d+))?$/.exec(text.trim().replaceAll(/[\s\u00a0\u202f']/g, ""));
  if (match === null) return null;
  const [, whole = "0", fraction = ""] = match;
  if (fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}
