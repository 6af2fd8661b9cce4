// What a screen reader is told.

import { signal } from "@preact/signals";

/// The last words, polite and urgent; the shell shows them in live regions.
export const spoken = signal({ polite: "", urgent: "" });

/// Says something after what is being said, or at once.
export function announce(text: string, how: "polite" | "urgent" = "polite"): void {
  // The same words twice would not be read twice.
  const last = spoken.value[how];
  spoken.value = { ...spoken.value, [how]: last === text ? `${text}\u00a0` : text };
}
