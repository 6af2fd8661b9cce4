// Signing up and in. Shown in place of a page that needs a player, which then appears by itself.

import { useState } from "preact/hooks";

import { Title } from "../parts/parts.tsx";
import { go, path } from "../router.ts";
import { person, signIn, signUp, wasEnded } from "../session/session.ts";
import { t } from "../text/text.ts";
import { refusalOf, refusalText } from "../wire/refusal.ts";

/// The names that the gateway takes.
const NAMES = "[A-Za-z][A-Za-z0-9_\\-]{2,19}";

/// The form, for a new account at `/sign-up` and for an old one elsewhere.
export function SignIn() {
  const [kind, setKind] = useState<"in" | "up">(path.value === "/sign-up" ? "up" : "in");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const name = String(form.get("name")).trim();
    const password = String(form.get("password"));
    setBusy(true);
    setError(null);
    try {
      await (kind === "up" ? signUp(name, password) : signIn(name, password));
      if (path.value.startsWith("/sign-")) go("/", "replace");
    } catch (refused) {
      setError(refused);
    } finally {
      setBusy(false);
    }
  };

  if (person.value !== null && !busy) return <SignedIn />;
  return (
    <section class="narrow">
      <Title>{t(kind === "up" ? "signUp.title" : "signIn.title")}</Title>
      {wasEnded.value && kind === "in" && <p class="note">{t("signIn.ended")}</p>}
      <form class="card form" onSubmit={(event) => void submit(event)} noValidate={false}>
        <label>
          {t("signIn.name")}
          <input
            name="name"
            autocomplete="username"
            required
            minLength={3}
            maxLength={20}
            pattern={kind === "up" ? NAMES : undefined}
            title={kind === "up" ? t("signUp.nameRule") : undefined}
            autocapitalize="none"
            spellcheck={false}
          />
          {kind === "up" && <small>{t("signUp.nameRule")}</small>}
        </label>
        <label>
          {t("signIn.password")}
          <input
            name="password"
            type="password"
            required
            minLength={8}
            maxLength={128}
            autocomplete={kind === "up" ? "new-password" : "current-password"}
          />
          {kind === "up" && <small>{t("signUp.passwordRule")}</small>}
        </label>
        {error !== null && (
          <p class="problem" role="alert" data-reason={refusalOf(error).reason}>
            {refusalText(error)}
          </p>
        )}
        <button type="submit" disabled={busy}>
          {t(kind === "up" ? "signUp.do" : "signIn.do")}
        </button>
      </form>
      <p class="other">
        {t(kind === "up" ? "signUp.haveOne" : "signIn.haveNone")}{" "}
        <button type="button" class="link" onClick={() => setKind(kind === "up" ? "in" : "up")}>
          {t(kind === "up" ? "signIn.do" : "signUp.do")}
        </button>
      </p>
    </section>
  );
}

function SignedIn() {
  return (
    <section class="narrow">
      <Title>{t("signIn.title")}</Title>
      <p>{t("signIn.already", { name: person.value?.name ?? "" })}</p>
      <a class="button" href="/">
        {t("nav.play")}
      </a>
    </section>
  );
}
