// Tables. A client of its own file, so that only pages that ask it read what it says about itself.

import { createClient } from "@connectrpc/connect";

import { TableService } from "../../gen/stakemate/game/v1/table_service_pb.ts";
import { transport } from "../transport.ts";

export const tables = createClient(TableService, transport);
