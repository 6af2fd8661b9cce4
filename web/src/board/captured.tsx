// What each side has taken, and by how much it is ahead.

import type { Chess } from "chessops/chess";
import type { Color, Role } from "chessops/types";

import { t } from "../text/text.ts";

const ORDER: [Role, number, number][] = [
  ["queen", 9, 1],
  ["rook", 5, 2],
  ["bishop", 3, 2],
  ["knight", 3, 2],
  ["pawn", 1, 8],
];

/// The pieces of the other side that are gone.
export function Captured(props: { position: Chess; by: Color }) {
  const other = props.by === "white" ? "black" : "white";
  const { board } = props.position;
  const taken = ORDER.map(([role, , atStart]) => ({
    role,
    number: Math.max(0, atStart - board.pieces(other, role).size()),
  })).filter((entry) => entry.number > 0);
  const worth = (side: Color): number =>
    ORDER.reduce((sum, [role, value]) => sum + value * board.pieces(side, role).size(), 0);
  const ahead = worth(props.by) - worth(other);
  const words = taken.map((entry) => `${entry.number} ${t(`piece.${entry.role}`)}`).join(", ");
  return (
    <span class="captured" role="img" aria-label={t("game.captured", { pieces: words === "" ? "–" : words })}>
      {taken.map((entry) => (
        <span key={entry.role} class="group">
          {Array.from({ length: entry.number }, (_, index) => (
            <span key={index} class={`figure small ${entry.role} ${other}`} />
          ))}
        </span>
      ))}
      {ahead > 0 && <span class="ahead">+{ahead}</span>}
    </span>
  );
}
