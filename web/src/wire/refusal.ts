// What went wrong with a call, in terms that a page can act on and a person can read.

import { Code, ConnectError } from "@connectrpc/connect";

import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.ts";
import { hasText, t, type TextKey } from "../text/text.ts";

/// A failed call. `reason` is a service's own word for a refusal, empty when nothing was decided.
export interface Refusal {
  code: Code;
  reason: string;
  metadata: Record<string, string>;
  fields: { field: string; description: string }[];
}

/// Codes after which the same request may be sent again: nobody has decided anything, or the answer was lost.
const PASSING = new Set([
  Code.Unknown,
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.ResourceExhausted,
  Code.Internal,
]);

/// Reads an error of a call.
export function refusalOf(error: unknown): Refusal {
  const failure = ConnectError.from(error);
  const info = failure.findDetails(ErrorInfoSchema)[0];
  const bad = failure.findDetails(BadRequestSchema)[0];
  return {
    code: failure.code,
    reason: info?.reason ?? "",
    metadata: info?.metadata ?? {},
    fields: bad?.fieldViolations.map(({ field, description }) => ({ field, description })) ?? [],
  };
}

/// Whether sending the same request again makes sense.
export function isPassing(error: unknown): boolean {
  return PASSING.has(ConnectError.from(error).code);
}

/// Whether the caller himself ended the call.
export function isCancelled(error: unknown): boolean {
  return ConnectError.from(error).code === Code.Canceled || (error as Error | null)?.name === "AbortError";
}

/// A sentence for people.
export function refusalText(error: unknown): string {
  const refusal = refusalOf(error);
  const key = `refusal.${refusal.reason}`;
  if (refusal.reason !== "" && hasText(key)) return t(key as TextKey, refusal.metadata);
  if (refusal.fields.length > 0) return refusal.fields.map((field) => field.description).join(" ");
  if (refusal.code === Code.NotFound) return t("refusal.notFound");
  if (refusal.code === Code.Unauthenticated) return t("refusal.signInNeeded");
  if (refusal.code === Code.ResourceExhausted) return t("refusal.busy");
  return isPassing(error) ? t("refusal.unreachable") : ConnectError.from(error).rawMessage;
}
