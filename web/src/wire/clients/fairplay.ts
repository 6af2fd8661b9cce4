// Reports and cases of fair play. A client of its own file, so that only pages that ask it read what it says about itself.

import { createClient } from "@connectrpc/connect";

import { FairplayService } from "../../gen/stakemate/fairplay/v1/fairplay_service_pb.ts";
import { transport } from "../transport.ts";

export const fairplay = createClient(FairplayService, transport);
