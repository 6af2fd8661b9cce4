// What stands around every page: navigation, language, live regions.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

import { spoken } from "../announce.ts";
import { Icon } from "../parts/icon.tsx";
import { path } from "../router.ts";
import { hasRole, person } from "../session/session.ts";
import { money } from "../text/format.ts";
import { t } from "../text/text.ts";
import { balance, readBalance } from "./balance.ts";

/// The frame of the application.
export function Shell(props: { children: ComponentChildren }) {
  const who = person.value;
  const [open, setOpen] = useState(false);
  const here = path.value;
  useEffect(() => setOpen(false), [here]);
  useEffect(() => {
    balance.value = null;
    if (who !== null) void readBalance();
  }, [who?.id]);
  return (
    <>
      <a class="skip" href="#main">
        {t("nav.skip")}
      </a>
      <header class="top">
        <a class="brand" href="/" aria-label="Stakemate">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M9 27h14v-3H9zm2-5h10c0-4-2-5-2-8 3 0 5 1 6 3l2-2c-1-6-5-10-11-10l-1-2-2 3c-4 1-6 5-6 9 0 3 4 3 4 7z" />
          </svg>
          <span>Stakemate</span>
        </a>
        <nav id="pages" aria-label={t("nav.label")} data-open={open ? "yes" : "no"}>
          <NavLink to="/" text={t("nav.play")} />
          <NavLink to="/tables" text={t("nav.tables")} />
          <NavLink to="/leaderboards" text={t("nav.leaders")} under />
          <NavLink to="/rules" text={t("nav.rules")} />
          {who !== null && <NavLink to="/wallet" text={t("nav.wallet")} />}
          {who !== null && <NavLink to={`/player/${who.id}`} text={t("nav.profile")} />}
          <NavLink to="/settings" text={t("nav.settings")} />
          {hasRole("operator", "moderator") && <NavLink to="/console" text={t("nav.console")} under />}
        </nav>
        <div class="who">
          {who === null ? (
            <a class="button small" href="/sign-in">
              {t("nav.signIn")}
            </a>
          ) : (
            <>
              {balance.value !== null && (
                <a class="purse" href="/wallet">
                  <span class="unseen">{t("wallet.available")} </span>
                  {money(balance.value.available)}
                </a>
              )}
              <span class="name">{who.name}</span>
            </>
          )}
          <button type="button" class="menu quiet" aria-expanded={open} aria-controls="pages" aria-label={t("nav.menu")} onClick={() => setOpen(!open)}>
            <Icon name="menu" />
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {props.children}
      </main>
      <div class="unseen" role="status" aria-live="polite" data-spoken="polite">
        {spoken.value.polite}
      </div>
      <div class="unseen" role="alert" aria-live="assertive" data-spoken="urgent">
        {spoken.value.urgent}
      </div>
    </>
  );
}

function NavLink(props: { to: string; text: string; under?: boolean }) {
  const here = path.value === props.to || (props.under === true && path.value.startsWith(`${props.to}/`));
  return (
    <a href={props.to} aria-current={here ? "page" : undefined}>
      {props.text}
    </a>
  );
}
