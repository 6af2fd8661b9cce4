// One transport a page: gRPC-Web to the origin that served it. Access tokens are put on and renewed here, so that no
// page has to think of them.

import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";

import { AccountService } from "../gen/stakemate/gateway/v1/account_service_pb.ts";
import { WalletService } from "../gen/stakemate/wallet/v1/wallet_service_pb.ts";

/// How long a unary call may take before it is tried again.
const CALL_MS_MAX = 8_000;

/// Gives the token for a call, and forgets one that was refused.
export interface Tokens {
  accessToken(): Promise<string | null>;
  forgetAccessToken(token: string): void;
}

let tokens: Tokens | null = null;

/// Tells the transport where tokens come from; the session does so when it begins.
export function useTokens(source: Tokens): void {
  tokens = source;
}

/// The calls that make tokens need none.
const WITHOUT_TOKEN = new Set(["SignUp", "SignIn", "RefreshSession", "SignOut"]);

const authorize: Interceptor = (next) => async (request) => {
  if (tokens === null || WITHOUT_TOKEN.has(request.method.name)) return next(request);
  const token = await tokens.accessToken();
  if (token === null) return next(request);
  request.header.set("authorization", `Bearer ${token}`);
  try {
    return await next(request);
  } catch (error) {
    // An ended token is renewed and the call made once more; a stream's follower does the same by opening anew.
    if (ConnectError.from(error).code !== Code.Unauthenticated) throw error;
    tokens.forgetAccessToken(token);
    const renewed = await tokens.accessToken();
    if (renewed === null || request.stream) throw error;
    request.header.set("authorization", `Bearer ${renewed}`);
    return next(request);
  }
};

/// The way to the edge, for the clients in clients/.
export const transport = createGrpcWebTransport({
  baseUrl: location.origin,
  interceptors: [authorize],
  defaultTimeoutMs: undefined,
});

/// What every page asks.
export const accounts = createClient(AccountService, transport);
export const wallet = createClient(WalletService, transport);

/// Options of a unary call.
export const unary = { timeoutMs: CALL_MS_MAX };
