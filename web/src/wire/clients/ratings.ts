// Ratings and leaderboards. A client of its own file, so that only pages that ask it read what it says about itself.

import { createClient } from "@connectrpc/connect";

import { RatingService } from "../../gen/stakemate/rating/v1/rating_service_pb.ts";
import { transport } from "../transport.ts";

export const ratings = createClient(RatingService, transport);
