// Getting up from a table.

import { go } from "../router.ts";
import { tables } from "../wire/clients/tables.ts";
import { ATTEMPT, insist } from "../wire/insist.ts";
import { requestId } from "../wire/request-id.ts";

/// Gets up and goes to the list.
export async function leaveTable(tableId: string): Promise<void> {
  const request = { requestId: requestId(), tableId };
  await insist(() => tables.leaveTable(request, ATTEMPT));
  go("/tables", "replace");
}
