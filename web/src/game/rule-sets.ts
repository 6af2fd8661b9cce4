// The rule sets, asked for once.

import type { RuleSet } from "../gen/stakemate/game/v1/rule_set_pb.ts";
import { games } from "../wire/clients/games.ts";
import { unary } from "../wire/transport.ts";

let asked: Promise<RuleSet[]> | null = null;

/// All of them, in the service's order.
export function ruleSets(): Promise<RuleSet[]> {
  asked ??= games.listRuleSets({}, unary).then(
    (answer) => answer.ruleSets,
    (error: unknown) => {
      asked = null;
      throw error;
    },
  );
  return asked;
}
