// The application's beginning: look, language, session, then pages by address.

import { effect } from "@preact/signals";
import { render } from "preact";

import { Pages } from "./pages/pages.tsx";
import { beginRouting } from "./router.ts";
import { begin } from "./session/session.ts";
import { applyLook, settings } from "./settings.ts";
import { Shell } from "./shell/shell.tsx";
import { loadLanguage } from "./text/text.ts";

applyLook();
begin();
beginRouting();
effect(() => {
  // Reading the setting makes this run again when it changes.
  void settings.value.language;
  void loadLanguage();
});
await loadLanguage();
render(
  <Shell>
    <Pages />
  </Shell>,
  document.getElementById("app")!,
);
