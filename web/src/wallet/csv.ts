// A statement as comma-separated values (RFC 4180), for spreadsheets and programs: English headings, UTC times, amounts
// with a point. Nothing in it was written by a person, so no cell can be a formula.

import { TransferKind, type StatementLine } from "../gen/stakemate/wallet/v1/wallet_service_pb.ts";
import { plainAmount } from "../text/format.ts";

const HEADINGS = [
  "time",
  "kind",
  "currency",
  "available_change",
  "held_change",
  "available_after",
  "fee",
  "match_id",
  "game_id",
  "transfer_id",
];

/// The file's text.
export function csvOf(lines: StatementLine[]): string {
  const rows = lines.map((line) => [
    new Date(Number(line.recordedAtMs)).toISOString(),
    (TransferKind[line.kind] ?? String(line.kind)).toLowerCase(),
    line.availableAfter?.currency ?? "",
    plainAmount(line.availableChange),
    plainAmount(line.heldChange),
    plainAmount(line.availableAfter),
    plainAmount(line.fee),
    line.matchId,
    line.gameId,
    line.transferId,
  ]);
  return [HEADINGS, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
