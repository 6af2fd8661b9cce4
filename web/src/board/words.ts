// Chess in words, for those who listen.

import type { Chess } from "chessops/chess";
import type { Role } from "chessops/types";
import { parseSquare } from "chessops/util";

import { t, type TextKey } from "../text/text.ts";

const ROLES: Record<string, Role> = { N: "knight", B: "bishop", R: "rook", Q: "queen", K: "king" };

/// What stands on a square.
export function squareWords(position: Chess, square: string): string {
  const piece = position.board.get(parseSquare(square) ?? 0);
  if (piece === undefined) return t("board.empty", { square });
  return t("board.holds", { square, color: t(`side.${piece.color}`), piece: t(`piece.${piece.role}`) });
}

/// A move in standard notation, spelt out.
export function moveWords(san: string): string {
  if (san.startsWith("O-O-O")) return t("say.castlesLong") + endWords(san);
  if (san.startsWith("O-O")) return t("say.castlesShort") + endWords(san);
  const match = /^([NBRQK]?)([a-h]?[1-8]?)(x?)([a-h][1-8])(?:=([NBRQ]))?/.exec(san);
  if (match === null) return san;
  const [, role = "", from = "", takes = "", to = "", promoted] = match;
  const piece = t(`piece.${ROLES[role] ?? "pawn"}` as TextKey);
  const words = [piece, from, takes === "" ? "" : t("say.takes"), to];
  if (promoted !== undefined) words.push(t("say.promotes", { piece: t(`piece.${ROLES[promoted]!}` as TextKey) }));
  return words.filter((word) => word !== "").join(" ") + endWords(san);
}

function endWords(san: string): string {
  if (san.endsWith("#")) return `, ${t("say.mate")}`;
  return san.endsWith("+") ? `, ${t("say.check")}` : "";
}
