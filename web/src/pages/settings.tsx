// What a person may choose.

import { useMemo } from "preact/hooks";

import { Board } from "../board/board.tsx";
import { Line } from "../game/line.ts";
import { Title } from "../parts/parts.tsx";
import { BOARDS, choose, PIECES, settings, THEMES, VIEWS, type Settings } from "../settings.ts";
import { play } from "../sound.ts";
import { language, LANGUAGES, t } from "../text/text.ts";

/// The settings, each in force at once.
export function SettingsPage() {
  const now = settings.value;
  const line = useMemo(() => {
    const sample = new Line();
    sample.follow(["e2e4", "c7c5", "g1f3"]);
    return sample;
  }, []);
  return (
    <section class="settings">
      <Title>{t("nav.settings")}</Title>
      <div class="columns">
        <form class="form" onSubmit={(event) => event.preventDefault()}>
          <label>
            {t("settings.language")}
            <select value={language.value} onChange={(event) => choose({ language: event.currentTarget.value })}>
              {Object.entries(LANGUAGES).map(([tag, name]) => (
                <option key={tag} value={tag} lang={tag}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <Choice name="theme" legend={t("settings.theme")} options={THEMES} value={now.theme} label={(one) => t(`theme.${one}`)} />
          <Choice name="board" legend={t("settings.board")} options={BOARDS} value={now.board} label={(one) => t(`boards.${one}`)} />
          <Choice name="pieces" legend={t("settings.pieces")} options={PIECES} value={now.pieces} label={(one) => t(`pieces.${one}`)} />
          <Choice name="view" legend={t("settings.view")} options={VIEWS} value={now.view} label={(one) => t(`view.${one}`)} />
          <fieldset>
            <legend>{t("settings.play")}</legend>
            <Switch name="coordinates" text={t("settings.coordinates")} on={now.coordinates} />
            <Switch name="legalMoves" text={t("settings.legalMoves")} on={now.legalMoves} />
            <Switch name="autoQueen" text={t("settings.autoQueen")} on={now.autoQueen} />
            <Switch name="sound" text={t("settings.sound")} on={now.sound} />
          </fieldset>
        </form>
        <div class="sample">
          <Board position={line.at(3)} orientation="white" lastMove={["g1", "f3"]} label={t("settings.sample")} />
        </div>
      </div>
    </section>
  );
}

function Choice<T extends string>(props: {
  name: keyof Settings;
  legend: string;
  options: readonly T[];
  value: T;
  label: (one: T) => string;
}) {
  return (
    <fieldset>
      <legend>{props.legend}</legend>
      <div class="options">
        {props.options.map((one) => (
          <label key={one} class="option">
            <input
              type="radio"
              name={props.name}
              value={one}
              checked={one === props.value}
              onChange={() => choose({ [props.name]: one } as Partial<Settings>)}
            />
            {props.label(one)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Switch(props: { name: "coordinates" | "legalMoves" | "autoQueen" | "sound"; text: string; on: boolean }) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        name={props.name}
        checked={props.on}
        onChange={(event) => {
          choose({ [props.name]: event.currentTarget.checked });
          if (props.name === "sound" && event.currentTarget.checked) play("move");
        }}
      />
      {props.text}
    </label>
  );
}
