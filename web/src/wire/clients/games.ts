// Games. A client of its own file, so that only pages that ask it read what it says about itself.

import { createClient } from "@connectrpc/connect";

import { GameService } from "../../gen/stakemate/game/v1/game_service_pb.ts";
import { transport } from "../transport.ts";

export const games = createClient(GameService, transport);
