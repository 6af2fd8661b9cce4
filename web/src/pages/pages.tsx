// Which page an address is. A page is loaded when it is first needed; to add one, add a line.

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

import { match } from "../router-match.ts";
import { path } from "../router.ts";
import { Problem, Title } from "../parts/parts.tsx";
import { hasRole, person } from "../session/session.ts";
import { language, t } from "../text/text.ts";
import { CONSOLE_PLACES } from "./console/places.ts";
import { SignIn } from "./sign-in.tsx";

type Params = Record<string, string>;
type Page = ComponentType<Params & { key?: string }>;

interface Place {
  pattern: string;
  load: () => Promise<Page>;
  /// Whom the page is for: anybody, signed-in players, or those with a role.
  access: "anybody" | "player" | "staff" | "operator" | "moderator";
}

const ROLES = { staff: ["operator", "moderator"], operator: ["operator"], moderator: ["moderator"] };

const PLACES: Place[] = [
  { pattern: "/", access: "anybody", load: async () => (await import("./entrance.tsx")).Entrance as Page },
  { pattern: "/sign-in", access: "anybody", load: async () => SignIn as Page },
  { pattern: "/sign-up", access: "anybody", load: async () => SignIn as Page },
  { pattern: "/play/:city/:control", access: "player", load: async () => (await import("./queue.tsx")).Queue as Page },
  { pattern: "/game/:id", access: "anybody", load: async () => (await import("./game.tsx")).GamePage as Page },
  { pattern: "/replay/:id", access: "anybody", load: async () => (await import("./replay.tsx")).Replay as Page },
  { pattern: "/tables", access: "anybody", load: async () => (await import("./tables.tsx")).Tables as Page },
  { pattern: "/table/:id", access: "anybody", load: async () => (await import("./table.tsx")).TablePage as Page },
  { pattern: "/two", access: "anybody", load: async () => (await import("./two.tsx")).Two as Page },
  { pattern: "/rules", access: "anybody", load: async () => (await import("./rules.tsx")).Rules as Page },
  { pattern: "/leaderboards", access: "anybody", load: async () => (await import("./leaderboards.tsx")).Leaderboards as Page },
  { pattern: "/leaderboards/:pool", access: "anybody", load: async () => (await import("./leaderboards.tsx")).Leaderboards as Page },
  { pattern: "/wallet", access: "player", load: async () => (await import("./wallet.tsx")).WalletPage as Page },
  { pattern: "/player/:id", access: "anybody", load: async () => (await import("./profile.tsx")).Profile as Page },
  ...(CONSOLE_PLACES as Place[]),
  { pattern: "/settings", access: "anybody", load: async () => (await import("./settings.tsx")).SettingsPage as Page },
];

const loaded = new Map<string, Page>();

/// The page of the present address.
export function Pages() {
  const here = path.value;
  const place = PLACES.find((candidate) => match(candidate.pattern, here) !== null);
  const [, redraw] = useState(0);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    setFailure(null);
    if (place === undefined || loaded.has(place.pattern)) return;
    place.load().then((page) => {
      loaded.set(place.pattern, page);
      redraw((value) => value + 1);
    }, setFailure);
  }, [place]);
  // Words of another language are drawn anew everywhere.
  void language.value;
  if (place === undefined) return <Nowhere />;
  if (place.access !== "anybody" && person.value === null) return <SignIn />;
  if (place.access in ROLES && !hasRole(...ROLES[place.access as keyof typeof ROLES])) return <Nowhere />;
  if (failure !== null) return <Problem error={failure} again={() => window.location.reload()} />;
  const Page = loaded.get(place.pattern);
  const params = match(place.pattern, here)!;
  return Page === undefined ? <p class="loading" role="status">{t("state.loading")}</p> : <Page key={here} {...params} />;
}

function Nowhere() {
  return (
    <section class="narrow">
      <Title>{t("nowhere.title")}</Title>
      <p>{t("nowhere.text")}</p>
      <a class="button at-start" href="/">
        {t("nav.play")}
      </a>
    </section>
  );
}
