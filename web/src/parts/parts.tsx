// Small parts that several pages have.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { refusalText } from "../wire/refusal.ts";
import { t } from "../text/text.ts";

/// Something that is loaded.
export type Loading<T> = { state: "loading" } | { state: "ready"; value: T } | { state: "failed"; error: unknown };

/// Loads when the page appears and whenever a dependency changes; `again` loads anew without emptying the page.
export function useLoading<T>(load: () => Promise<T>, dependencies: unknown[]): [Loading<T>, () => void] {
  const [loading, setLoading] = useState<Loading<T>>({ state: "loading" });
  const [round, setRound] = useState(0);
  const seen = useRef<unknown[]>([]);
  useEffect(() => {
    let current = true;
    const changed = dependencies.some((value, index) => value !== seen.current[index]);
    seen.current = dependencies;
    if (changed) setLoading({ state: "loading" });
    load().then(
      (value) => current && setLoading({ state: "ready", value }),
      (error: unknown) => current && setLoading((old) => (old.state === "ready" ? old : { state: "failed", error })),
    );
    return () => {
      current = false;
    };
  }, [...dependencies, round]);
  return [loading, () => setRound((value) => value + 1)];
}

/// Loads again every so often while the page is seen.
export function useEvery(ms: number, work: () => void): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") latest.current();
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
}

/// What is loaded, or how it stands with that.
export function Loaded<T>(props: { from: Loading<T>; again?: () => void; children: (value: T) => ComponentChildren }) {
  if (props.from.state === "ready") return <>{props.children(props.from.value)}</>;
  if (props.from.state === "loading") return <p class="loading" role="status">{t("state.loading")}</p>;
  return <Problem error={props.from.error} again={props.again} />;
}

/// What went wrong, and a way on.
export function Problem(props: { error: unknown; again?: (() => void) | undefined }) {
  return (
    <div class="problem" role="alert">
      <p>{refusalText(props.error)}</p>
      {props.again && (
        <button type="button" class="quiet" onClick={props.again}>
          {t("action.tryAgain")}
        </button>
      )}
    </div>
  );
}

/// The page's heading and title.
export function Title(props: { children: string }) {
  useEffect(() => {
    document.title = `${props.children} · Stakemate`;
  }, [props.children]);
  return <h1>{props.children}</h1>;
}

/// Asks before something that cannot be undone.
export function Confirm(props: { question: string; yes: string; tone: "plain" | "danger"; onYes: () => void; onNo: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={props.question}
      onCancel={(event) => {
        event.preventDefault();
        props.onNo();
      }}
    >
      <p>{props.question}</p>
      <div class="buttons">
        <button type="button" class={props.tone} onClick={props.onYes}>
          {props.yes}
        </button>
        <button type="button" class="quiet" onClick={props.onNo}>
          {t("action.cancel")}
        </button>
      </div>
    </dialog>
  );
}
