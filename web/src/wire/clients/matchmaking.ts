// Cities and queues. A client of its own file, so that only pages that ask it read what it says about itself.

import { createClient } from "@connectrpc/connect";

import { MatchmakingService } from "../../gen/stakemate/matchmaking/v1/matchmaking_service_pb.ts";
import { transport } from "../transport.ts";

export const matchmaking = createClient(MatchmakingService, transport);
