// The rules of play, made from the rule sets that the game service plays by.

import { useState } from "preact/hooks";

import { ruleSets } from "../game/rule-sets.ts";
import { ColorPolicy, DrawsSetting, MaterialRule, MatingRule, RatingPolicy, type RuleSet } from "../gen/stakemate/game/v1/rule_set_pb.ts";
import { Loaded, Title, useLoading } from "../parts/parts.tsx";
import { timeControl } from "../text/format.ts";
import { capital, t, tKnown, type TextKey } from "../text/text.ts";

const COMMON: TextKey[] = ["rules.common1", "rules.common2", "rules.common3", "rules.common4", "rules.common5", "rules.common6"];

/// The page.
export function Rules() {
  const [sets, again] = useLoading(ruleSets, []);
  return (
    <section class="rules">
      <Title>{t("rules.title")}</Title>
      <p class="lead">{t("rules.lead")}</p>
      <Loaded from={sets} again={again}>
        {(all) => (
          <>
            <Sets all={all} />
            <h2>{t("rules.common")}</h2>
            <ul class="plain-list" role="list">
              {COMMON.map((key) => (
                <li key={key}>{t(key)}</li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </section>
  );
}

/// On a desk all sets stand side by side; on a phone one is chosen.
function Sets(props: { all: RuleSet[] }) {
  const [shown, setShown] = useState(props.all[0]?.name ?? "");
  return (
    <div class="rule-sets" data-shown={shown}>
      <div class="options phone-only" role="group" aria-label={t("rules.title")}>
        {props.all.map((set) => (
          <button key={set.name} type="button" class="quiet" aria-pressed={set.name === shown} onClick={() => setShown(set.name)}>
            {tKnown("ruleSet", set.name)}
          </button>
        ))}
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label={t("rules.title")}>
        <table>
          <thead>
            <tr>
              <td />
              {props.all.map((set) => (
                <th key={set.name} scope="col" data-set={set.name} data-shown={set.name === shown ? "yes" : "no"}>
                  <strong>{tKnown("ruleSet", set.name)}</strong>
                  <small>{tKnown("ruleSetText", set.name)}</small>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {LINES.map(([key, value]) => (
              <tr key={key}>
                <th scope="row">{t(key)}</th>
                {props.all.map((set) => (
                  <td key={set.name} data-set={set.name} data-line={key} data-shown={set.name === shown ? "yes" : "no"}>
                    {capital(value(set))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

const LINES: [TextKey, (set: RuleSet) => string][] = [
  ["rule.clocks", clocks],
  ["rule.start", start],
  ["rule.credit", credit],
  ["rule.repetition", (set) => t(set.draws === DrawsSetting.BY_CLAIM ? "rule.byClaim" : "rule.byThemselves")],
  ["rule.fivefold", (set) => t(set.draws === DrawsSetting.BY_CLAIM ? "rule.byThemselves" : "rule.notReached")],
  ["rule.material", (set) => tKnown("material", MaterialRule[set.insufficientMaterial])],
  ["rule.flag", (set) => (set.flag === MatingRule.UNSPECIFIED ? "–" : tKnown("mating", MatingRule[set.flag]))],
  ["rule.resigning", (set) => (set.resignation === MatingRule.UNSPECIFIED ? t("rule.loses") : t("rule.drawnIf", { when: tKnown("mating", MatingRule[set.resignation]) }))],
  ["rule.offers", offers],
  ["rule.leaving", leaving],
  ["rule.colors", (set) => tKnown("colors", ColorPolicy[set.colors])],
  ["rule.rated", (set) => tKnown("rating", RatingPolicy[set.rating])],
  ["rule.staked", (set) => t(set.staked ? "rule.yes" : "rule.no")],
];

function hasClocks(set: RuleSet): boolean {
  return set.anyTimeControl || set.timeControls.length > 0;
}

function clocks(set: RuleSet): string {
  const parts = set.anyTimeControl ? [t("rule.any")] : set.timeControls.map((control) => timeControl(control));
  if (set.untimed) parts.push(t(hasClocks(set) ? "rule.orNone" : "rule.none"));
  return parts.join(", ");
}

function start(set: RuleSet): string {
  if (!hasClocks(set)) return "–";
  return set.firstMoveDueMs > 0 ? t("rule.firstMoves", { seconds: set.firstMoveDueMs / 1_000 }) : t("rule.withGame");
}

function credit(set: RuleSet): string {
  if (!hasClocks(set)) return "–";
  const rule = set.lagCredit;
  if (rule === undefined) return t("rule.no");
  return t("rule.credited", { most: rule.perMoveMsMax / 1_000, start: rule.allowanceStartMs / 1_000, gain: rule.allowanceGainMs / 1_000, max: rule.allowanceMsMax / 1_000 });
}

function offers(set: RuleSet): string {
  const parts = [set.drawOffersMax === undefined ? t("rule.oneOpen") : t("rule.offersMax", { n: set.drawOffersMax })];
  if (set.drawOfferFirstAfterMoves > 0) parts.push(t("rule.offersFirst", { n: set.drawOfferFirstAfterMoves }));
  if (set.drawOfferMovesBetween > 0) parts.push(t("rule.offersBetween", { n: set.drawOfferMovesBetween }));
  return parts.join(" ");
}

function leaving(set: RuleSet): string {
  const parts: string[] = [];
  if (set.leavingTableLoses) parts.push(t("rule.leavingLoses"));
  if (set.goneTimedMs > 0) parts.push(t("rule.goneTimed", { seconds: set.goneTimedMs / 1_000 }));
  if (set.goneUntimedRatedMs > 0) parts.push(t("rule.goneUntimed", { seconds: set.goneUntimedRatedMs / 1_000 }));
  if (parts.length === 0) return hasClocks(set) ? t("rule.clockOnly") : "–";
  return parts.join(" ");
}
