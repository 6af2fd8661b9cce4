// A text to hand on, with a button that copies it.

import { useState } from "preact/hooks";

import { t } from "../text/text.ts";

/// Puts a text on the clipboard, and says how that went.
export async function copied(text: Promise<string>): Promise<string> {
  try {
    await navigator.clipboard.writeText(await text);
    return t("share.copied");
  } catch {
    return t("share.notCopied");
  }
}

/// The field.
export function CopyField(props: { label: string; text: string }) {
  const [said, setSaid] = useState("");
  return (
    <div class="copy-field">
      <label for="copy-text">{props.label}</label>
      <input id="copy-text" readOnly value={props.text} onFocus={(event) => event.currentTarget.select()} />
      <button type="button" class="quiet" onClick={() => void copied(Promise.resolve(props.text)).then(setSaid)}>
        {t("action.copy")}
      </button>
      <p role="status" class="small">{said}</p>
    </div>
  );
}
