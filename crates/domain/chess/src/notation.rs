//! Moves as text: strict UCI for commands, lenient SAN for imports.

use shakmaty::{Chess, Move, Position as _, Rank, Role, Square, san::San, uci::UciMove};

use crate::refusal::Refusal;

/// The longest text that is looked at as one SAN move, for example `Qa1-b2xc3(Q)+!?` and the like.
const SAN_BYTES_MAX: usize = 16;

/// Reads a move in UCI notation: two squares in small letters, and for a promotion one of `q`, `r`, `b`, `n`.
///
/// Capital letters, king and pawn as promotion pieces, null moves and drops are malformed (case A39).
pub fn parse_uci(text: &str) -> Result<UciMove, Refusal> {
    let bytes = text.as_bytes();
    if bytes.iter().any(u8::is_ascii_uppercase) {
        return Err(Refusal::MalformedMove);
    }
    match UciMove::from_ascii(bytes) {
        Ok(
            uci @ UciMove::Normal {
                promotion: None | Some(Role::Queen | Role::Rook | Role::Bishop | Role::Knight),
                ..
            },
        ) => Ok(uci),
        _ => Err(Refusal::MalformedMove),
    }
}

/// The legal move that `uci` means in `position`.
///
/// One move has one spelling: castling is the king's move (`e1g1`), never king takes rook.
pub(crate) fn legal_move(position: &Chess, uci: UciMove) -> Result<Move, Refusal> {
    match uci.to_move(position) {
        Ok(m) if UciMove::from_standard(m) == uci => Ok(m),
        Ok(_) => Err(Refusal::IllegalMove),
        Err(_) if with_queen(uci).is_some_and(|queened| queened.to_move(position).is_ok()) => {
            Err(Refusal::MissingPromotion)
        }
        Err(_) => Err(Refusal::IllegalMove),
    }
}

/// The same move with a queen named, when it names no piece and could be a promotion.
pub(crate) fn with_queen(uci: UciMove) -> Option<UciMove> {
    match uci {
        UciMove::Normal { from, to, promotion: None }
            if matches!(
                (from.rank(), to.rank()),
                (Rank::Seventh, Rank::Eighth) | (Rank::Second, Rank::First)
            ) =>
        {
            Some(UciMove::Normal { from, to, promotion: Some(Role::Queen) })
        }
        _ => None,
    }
}

/// Reads a move in SAN as other programs write it: besides the canonical form `0-0`, `e8Q`, `e8(Q)`, `e8/Q`, more squares
/// than needed (`Ng1f3`, `e2e4`, `Nf3xe5`), a missing `x` or check sign, and `!?` behind it.
///
/// `None` when the text is no legal move or more than one.
pub fn read_san(position: &Chess, text: &str) -> Option<Move> {
    let text = text.trim_end_matches(['!', '?', '+', '#']).trim_end_matches("e.p.").trim();
    if text.is_empty() || text.len() > SAN_BYTES_MAX || !text.is_ascii() {
        return None;
    }
    if let Some(m) = San::from_ascii(text.as_bytes()).ok().and_then(|san| san.to_move(position).ok()) {
        return Some(m);
    }
    let loose = Loose::read(text)?;
    let legal = position.legal_moves();
    let mut matching = legal.iter().filter(|m| loose.matches(**m));
    let only = matching.next().copied();
    if matching.next().is_some() { None } else { only }
}

/// What a loosely written SAN says, every part of it optional but the target.
struct Loose {
    role: Role,
    from_file: Option<u8>,
    from_rank: Option<u8>,
    to: Square,
    promotion: Option<Role>,
    castles: Option<shakmaty::CastlingSide>,
}

impl Loose {
    fn read(text: &str) -> Option<Loose> {
        let plain: Vec<u8> = text.bytes().filter(|byte| !b"x:-=()/".contains(byte)).collect();
        let castles = match plain.as_slice() {
            b"OO" | b"00" | b"oo" => Some(shakmaty::CastlingSide::KingSide),
            b"OOO" | b"000" | b"ooo" => Some(shakmaty::CastlingSide::QueenSide),
            _ => None,
        };
        if castles.is_some() {
            let king = Role::King;
            return Some(Loose {
                role: king,
                from_file: None,
                from_rank: None,
                to: Square::A1,
                promotion: None,
                castles,
            });
        }
        let (role, rest) = match plain.first()? {
            b'N' | b'B' | b'R' | b'Q' | b'K' | b'P' => (Role::from_char(char::from(plain[0]))?, &plain[1..]),
            _ => (Role::Pawn, &plain[..]),
        };
        let (promotion, rest) = match rest.split_last()? {
            (b'N' | b'B' | b'R' | b'Q', before) if role == Role::Pawn => {
                (Role::from_char(char::from(rest[rest.len() - 1])), before)
            }
            _ => (None, rest),
        };
        let (to, from) = (rest.get(rest.len().checked_sub(2)?..)?, &rest[..rest.len() - 2]);
        let to = Square::from_ascii(to).ok()?;
        let (mut from_file, mut from_rank) = (None, None);
        for byte in from {
            match byte {
                b'a'..=b'h' if from_file.is_none() && from_rank.is_none() => from_file = Some(byte - b'a'),
                b'1'..=b'8' if from_rank.is_none() => from_rank = Some(byte - b'1'),
                _ => return None,
            }
        }
        Some(Loose { role, from_file, from_rank, to, promotion, castles: None })
    }

    fn matches(&self, m: Move) -> bool {
        if self.castles.is_some() || m.is_castle() {
            return self.castles.is_some() && m.castling_side() == self.castles;
        }
        let Some(from) = m.from() else { return false };
        m.role() == self.role
            && m.to() == self.to
            && m.promotion() == self.promotion
            && self.from_file.is_none_or(|file| file == from.file() as u8)
            && self.from_rank.is_none_or(|rank| rank == from.rank() as u8)
    }
}
