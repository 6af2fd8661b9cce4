// The services' own figures, asked without the client under test.

import { createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";

import { FairplayService } from "../../src/gen/stakemate/fairplay/v1/fairplay_service_pb.ts";
import { GameService } from "../../src/gen/stakemate/game/v1/game_service_pb.ts";
import { AccountService } from "../../src/gen/stakemate/gateway/v1/account_service_pb.ts";
import { RatingService } from "../../src/gen/stakemate/rating/v1/rating_service_pb.ts";
import { WalletService } from "../../src/gen/stakemate/wallet/v1/wallet_service_pb.ts";
import { EDGE, PASSWORD } from "./browsers.ts";

function transport(token?: string) {
  const authorize: Interceptor = (next) => (request) => {
    if (token !== undefined) request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };
  return createGrpcWebTransport({ baseUrl: EDGE, interceptors: [authorize] });
}

/// What anybody may ask.
export const games = createClient(GameService, transport());
export const ratings = createClient(RatingService, transport());
const accounts = createClient(AccountService, transport());

/// A player as the services see him, in a session of the test's own.
export async function asPlayer(name: string) {
  const { session } = await accounts.signIn({ name, password: PASSWORD });
  const own = transport(session!.accessToken);
  return {
    id: session!.playerId,
    refreshToken: session!.refreshToken,
    wallet: createClient(WalletService, own),
    games: createClient(GameService, own),
    fairplay: createClient(FairplayService, own),
  };
}

/// The moves of a game by the log.
export async function logOf(gameId: string): Promise<string[]> {
  const ucis: string[] = [];
  for await (const frame of games.replayGame({ gameId })) if (frame.move !== undefined) ucis.push(frame.move.uci);
  return ucis;
}
