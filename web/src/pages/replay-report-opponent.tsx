// A player's word on his opponent, for a person to look at.

import { useState } from "preact/hooks";

import { GameStatus, type Game } from "../gen/stakemate/game/v1/game_service_pb.ts";
import { person } from "../session/session.ts";
import { t } from "../text/text.ts";
import { fairplay } from "../wire/clients/fairplay.ts";
import { refusalText } from "../wire/refusal.ts";
import { unary } from "../wire/transport.ts";

/// Asks a moderator to look at the opponent; only for those who played the staked game.
export function ReportOpponent(props: { game: Game }) {
  const { game } = props;
  const [said, setSaid] = useState("");
  const [done, setDone] = useState(false);
  const [busy, setBusy] = useState(false);
  const me = person.value?.id;
  const plays = me !== undefined && [game.white?.playerId, game.black?.playerId].includes(me);
  if (!plays || game.matchId === "" || game.status !== GameStatus.ENDED) return null;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const reason = String(new FormData(event.currentTarget as HTMLFormElement).get("reason"));
    setBusy(true);
    fairplay
      .reportPlayer({ gameId: game.gameId, reason }, unary)
      .then(
        () => {
          setDone(true);
          setSaid(t("reportOpponent.done"));
        },
        (error: unknown) => setSaid(refusalText(error)),
      )
      .finally(() => setBusy(false));
  };
  return (
    <details class="report-opponent">
      <summary>{t("reportOpponent.title")}</summary>
      {!done && (
        <form class="form" onSubmit={submit}>
          <label>
            {t("reportOpponent.what")}
            <textarea name="reason" required maxLength={2_000} rows={3} />
          </label>
          <button type="submit" class="quiet" disabled={busy}>
            {t("reportOpponent.do")}
          </button>
        </form>
      )}
      <p role="status">{said}</p>
    </details>
  );
}
