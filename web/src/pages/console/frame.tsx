// What stands around every page of the consoles.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { Title } from "../../parts/parts.tsx";
import { path } from "../../router.ts";
import { hasRole } from "../../session/session.ts";
import { numbers } from "../../text/formatters.ts";
import { language, t } from "../../text/text.ts";
import { ct, loadConsoleWords, problemText, type ConsoleKey } from "./words.ts";
import { nameOf, short } from "./wire.ts";

const OPERATOR: [string, ConsoleKey][] = [
  ["/console/services", "tab.services"],
  ["/console/events", "tab.events"],
  ["/console/match", "tab.match"],
  ["/console/ledger", "tab.ledger"],
  ["/console/dead-letters", "tab.deadLetters"],
  ["/console/queues", "tab.queues"],
];
const MODERATOR: [string, ConsoleKey][] = [["/console/cases", "tab.cases"]];

/// A page of the consoles with its heading, and the way to the others.
export function Frame(props: { title: string; aside?: ComponentChildren; children: ComponentChildren }) {
  useEffect(() => void loadConsoleWords(), [language.value]);
  const list = useRef<HTMLElement>(null);
  // On a phone the tab that one is on may lie beyond the edge.
  useEffect(() => {
    const here = list.current?.querySelector<HTMLElement>("[aria-current]");
    if (here) list.current!.scrollLeft = here.offsetLeft - (list.current!.clientWidth - here.clientWidth) / 2;
  }, []);
  const tabs = [...(hasRole("operator") ? OPERATOR : []), ...(hasRole("moderator") ? MODERATOR : [])];
  return (
    <section class="console">
      <nav class="tabs" ref={list} aria-label={ct("tabs.label")}>
        {tabs.map(([to, key]) => {
          const here = path.value === to || path.value.startsWith(`${to}/`);
          return (
            <a key={to} href={to} aria-current={here ? "page" : undefined}>
              {ct(key)}
            </a>
          );
        })}
      </nav>
      <div class="heading">
        <Title>{props.title}</Title>
        {props.aside}
      </div>
      {props.children}
    </section>
  );
}

/// A player by his name.
export function PlayerName(props: { id: string }) {
  const [name, setName] = useState(short(props.id));
  useEffect(() => {
    let current = true;
    void nameOf(props.id).then((known) => current && setName(known));
    return () => {
      current = false;
    };
  }, [props.id]);
  return <a href={`/player/${props.id}`}>{name}</a>;
}

/// What is good or bad at a glance: by colour, and in words.
export function Badge(props: { tone: "good" | "bad" | "note" | "plain"; children: ComponentChildren }) {
  return <span class={`tone ${props.tone}`}>{props.children}</span>;
}

/// Several lines of figures with their names.
export function Facts(props: { of: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {props.of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/// Asks for a reason before something is done in the operator's or moderator's name.
export function Reasoned(props: {
  title: string;
  text: string;
  yes: string;
  tone: "plain" | "danger";
  onYes: (reason: string) => Promise<void>;
  onNo: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const reason = String(new FormData(event.currentTarget as HTMLFormElement).get("reason"));
    setBusy(true);
    setProblem("");
    props
      .onYes(reason)
      .catch((error: unknown) => setProblem(problemText(error)))
      .finally(() => setBusy(false));
  };
  return (
    <dialog
      ref={dialog}
      class="reasoned"
      aria-label={props.title}
      onCancel={(event) => {
        event.preventDefault();
        props.onNo();
      }}
    >
      <form class="form" onSubmit={submit}>
        <h2>{props.title}</h2>
        <p>{props.text}</p>
        <label>
          {ct("reason.label")}
          <textarea name="reason" required minLength={3} maxLength={500} rows={3} />
          <small>{ct("reason.rule")}</small>
        </label>
        <p class="problem" role="alert">{problem}</p>
        <div class="buttons">
          <button type="submit" class={props.tone} disabled={busy}>
            {props.yes}
          </button>
          <button type="button" class="quiet" onClick={props.onNo}>
            {t("action.cancel")}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/// A count or a figure as the language writes it.
export function figure(value: number | bigint, digits = 0): string {
  return numbers(language.value, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}

/// A length of time, as exact as anybody needs it.
export function lasted(ms: number): string {
  // In our own words: the browser takes a twentieth of a second to remember its own for units.
  const units: [number, ConsoleKey][] = [
    [86_400_000, "lasted.day"],
    [3_600_000, "lasted.hour"],
    [60_000, "lasted.minute"],
    [1_000, "lasted.second"],
  ];
  const [size, unit] = units.find(([size]) => ms >= size) ?? [1, "lasted.millisecond"];
  return ct(unit, { n: numbers(language.value, { maximumFractionDigits: size === 1_000 ? 1 : 0 }).format(ms / size) });
}
