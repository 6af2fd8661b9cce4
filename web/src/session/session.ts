// Who is signed in. The access token lives in memory only; the refresh token is kept for all tabs of this origin and
// rotated under one lock, because a refresh token that is used twice ends the whole sign-in.

import { Code, ConnectError } from "@connectrpc/connect";
import { signal } from "@preact/signals";

import type { Session } from "../gen/stakemate/gateway/v1/account_service_pb.ts";
import { accounts, unary, useTokens } from "../wire/transport.ts";
import { keepToken, readToken } from "./kept-token.ts";

const KEPT = "stakemate.session";
const HANDOVER = "stakemate.handover";
const LOCK = "stakemate.session";
/// A token that ends sooner is renewed before it is used.
const MARGIN_MS = 20_000;

/// The signed-in player.
export interface Person {
  id: string;
  name: string;
  /// What he may do, by his last token: for showing pages, never for trusting anybody.
  roles: string[];
}

/// Whether the signed-in player has one of the roles.
export function hasRole(...roles: string[]): boolean {
  return roles.some((role) => person.value?.roles.includes(role));
}

interface Kept extends Person {
  refreshToken: string;
}

interface Access {
  playerId: string;
  token: string;
  endsAtMs: number;
}

/// Nobody, or the signed-in player.
export const person = signal<Person | null>(null);
/// Set when the server ended the session, so that the sign-in page can say why it is there.
export const wasEnded = signal(false);

let access: Access | null = null;
let renewing: Promise<string | null> | null = null;

/// Takes up the session of a former page, and begins to hand out tokens.
export function begin(): void {
  const kept = readKept();
  person.value = personOf(kept);
  access = takeHandover(kept);
  // A reload gets the access token from the page it replaces, so that reloading twice does not use a refresh token twice.
  window.addEventListener("pagehide", () => {
    if (access !== null) sessionStorage.setItem(HANDOVER, JSON.stringify(access));
  });
  window.addEventListener("pageshow", () => sessionStorage.removeItem(HANDOVER));
  window.addEventListener("storage", (event) => {
    if (event.key === KEPT) followOtherTab();
  });
  useTokens({ accessToken, forgetAccessToken });
}

/// Makes an account and signs in.
export async function signUp(name: string, password: string): Promise<void> {
  const { session } = await accounts.signUp({ name, password }, unary);
  await adopt(session!);
}

/// Signs in.
export async function signIn(name: string, password: string): Promise<void> {
  const { session } = await accounts.signIn({ name, password }, unary);
  await adopt(session!);
}

/// Ends the session here, in every tab, and at the server.
export async function signOut(): Promise<void> {
  const kept = readKept();
  forget();
  const newest = await readToken();
  await keepToken(null);
  const refreshToken = newest?.token ?? kept?.refreshToken;
  if (refreshToken !== undefined) await accounts.signOut({ refreshToken }, unary).catch(() => undefined);
}

async function accessToken(): Promise<string | null> {
  if (person.value === null) return null;
  if (access !== null && access.endsAtMs - MARGIN_MS > Date.now()) return access.token;
  renewing ??= underLock(renew).finally(() => {
    renewing = null;
  });
  return renewing;
}

function forgetAccessToken(token: string): void {
  if (access?.token === token) access = null;
}

async function renew(): Promise<string | null> {
  const kept = readKept();
  if (kept === null) {
    forget();
    return null;
  }
  try {
    const newest = await readToken();
    const refreshToken = newest?.playerId === kept.id ? newest.token : kept.refreshToken;
    const { session } = await accounts.refreshSession({ refreshToken }, unary);
    await adopt(session!);
    return session!.accessToken;
  } catch (error) {
    if (ConnectError.from(error).code !== Code.Unauthenticated) throw error;
    wasEnded.value = true;
    forget();
    return null;
  }
}

async function adopt(session: Session): Promise<void> {
  await keepToken({ playerId: session.playerId, token: session.refreshToken });
  access = { playerId: session.playerId, token: session.accessToken, endsAtMs: Date.now() + lifetimeMs(session) };
  const roles = claims(session.accessToken).roles ?? [];
  const kept: Kept = { id: session.playerId, name: session.name, roles, refreshToken: session.refreshToken };
  localStorage.setItem(KEPT, JSON.stringify(kept));
  wasEnded.value = false;
  const same = person.value?.id === kept.id && person.value.roles.join() === roles.join();
  if (!same) person.value = personOf(kept);
}

function personOf(kept: Kept | null): Person | null {
  return kept === null ? null : { id: kept.id, name: kept.name, roles: kept.roles ?? [] };
}

interface Claims {
  iat?: number;
  exp?: number;
  roles?: string[];
}

/// What a token says; nothing for an opaque one.
function claims(token: string): Claims {
  try {
    const part = token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/");
    return JSON.parse(atob(part)) as Claims;
  } catch {
    return {};
  }
}

/// By the token's own two times, so that a wrong clock of the device does no harm.
function lifetimeMs(session: Session): number {
  const { iat, exp } = claims(session.accessToken);
  if (iat !== undefined && exp !== undefined) return (exp - iat) * 1_000;
  // An opaque token: the answer's own word remains.
  return Number(session.accessTokenExpiresAtMs) - Date.now();
}

function forget(): void {
  access = null;
  localStorage.removeItem(KEPT);
  sessionStorage.removeItem(HANDOVER);
  person.value = null;
}

function followOtherTab(): void {
  const kept = readKept();
  if (kept?.id === person.value?.id) return;
  access = null;
  person.value = personOf(kept);
}

function readKept(): Kept | null {
  return parse<Kept>(localStorage.getItem(KEPT));
}

function takeHandover(kept: Kept | null): Access | null {
  const handed = parse<Access>(sessionStorage.getItem(HANDOVER));
  sessionStorage.removeItem(HANDOVER);
  return handed !== null && handed.playerId === kept?.id ? handed : null;
}

function parse<T>(text: string | null): T | null {
  if (text === null) return null;
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}

function underLock<T>(work: () => Promise<T>): Promise<T> {
  // Absent outside of a secure context; then tabs may get in each other's way, which ends in signing in again.
  const locks = navigator.locks as LockManager | undefined;
  return locks === undefined ? work() : (locks.request(LOCK, work) as Promise<T>);
}
