// Tables that are followed: all public ones, or a single one, which may be by link.

import { Code } from "@connectrpc/connect";
import { signal } from "@preact/signals";

import type { Table, WatchTablesResponse } from "../gen/stakemate/game/v1/table_service_pb.ts";
import { tables } from "../wire/clients/tables.ts";
import { follow, type Next } from "../wire/follow.ts";
import { isPassing, refusalOf } from "../wire/refusal.ts";

/// Follows tables until it is ended.
export class LiveTables {
  /// The tables, newest first; null until they are known.
  readonly all = signal<Table[] | null>(null);
  /// Whether the single table is closed.
  readonly closed = signal(false);
  /// Why they cannot be followed, for good.
  readonly failure = signal<unknown>(null);

  private stop: (() => void) | null = null;

  /// With an id that table alone, without one all public tables.
  constructor(private readonly tableId = "") {}

  /// Begins to follow.
  start(): void {
    this.stop ??= follow<WatchTablesResponse>({
      open: (signal) => tables.watchTables({ tableId: this.tableId }, { signal }),
      onFrame: (frame) => this.onFrame(frame),
      onFailure: (error) => this.onFailure(error),
      onLink: () => undefined,
    });
  }

  /// Stops following.
  end(): void {
    this.stop?.();
    this.stop = null;
  }

  /// Takes a table as an answer has it, when it is the later picture.
  note(table: Table | undefined): void {
    const old = this.all.value?.find((one) => one.tableId === table?.tableId);
    if (table !== undefined && (old === undefined || table.version >= old.version)) this.put(table);
  }

  private put(table: Table): void {
    const others = (this.all.value ?? []).filter((one) => one.tableId !== table.tableId);
    this.all.value = [...others, table].sort((one, other) => Number(other.openedAtMs - one.openedAtMs));
  }

  private onFrame({ frame }: WatchTablesResponse): Next {
    if (frame.case === "snapshot") this.all.value = frame.value.tables;
    else if (frame.case === "changed" && frame.value.table !== undefined) this.put(frame.value.table);
    else if (frame.case === "draining") return { go: "again", afterMs: frame.value.reconnectAfterMs };
    else if (frame.case === "closed") {
      const gone = frame.value.tableId;
      this.all.value = (this.all.value ?? []).filter((one) => one.tableId !== gone);
      if (gone !== this.tableId) return { go: "on" };
      this.closed.value = true;
      return { go: "end" };
    }
    return { go: "on" };
  }

  private onFailure(error: unknown): Next {
    if (isPassing(error) || refusalOf(error).code === Code.Unauthenticated) return { go: "on" };
    this.failure.value = error;
    return { go: "end" };
  }
}
