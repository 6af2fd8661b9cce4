//! One game's text: its tags, its main line with clocks, its end.

use std::ops::ControlFlow;

use pgn_reader::{KnownOutcome, Outcome, RawComment, RawTag, SanPlus, Skip, Visitor};

use super::{PLIES_MAX, Refusal, TAG_BYTES_MAX, TAGS_MAX, start, times};
use crate::StartPosition;

/// A game's text as it is read.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub(super) tags: Vec<(String, String)>,
    pub(super) start: Option<StartPosition>,
    pub(super) moves: Vec<(SanPlus, Option<i64>)>,
    pub(super) ending: Option<String>,
}

/// A game is read into a text of its own; the visitor itself keeps nothing.
impl Visitor for Text {
    type Tags = Text;
    type Movetext = Text;
    type Output = Result<Text, Refusal>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Text> {
        ControlFlow::Continue(Text::default())
    }

    fn tag(&mut self, text: &mut Text, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        let name = String::from_utf8_lossy(name).into_owned();
        let value = value.decode_utf8_lossy().into_owned();
        match name.as_str() {
            "Variant" if !is_chess(&value) => return ControlFlow::Break(Err(Refusal::Variant(value))),
            "FEN" => match start(value.trim()) {
                Ok(position) => text.start = Some(position),
                Err(refusal) => return ControlFlow::Break(Err(refusal)),
            },
            _ => {}
        }
        if text.tags.len() < TAGS_MAX && name.len() <= TAG_BYTES_MAX {
            text.tags.push((name, shortened(value)));
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, text: Text) -> ControlFlow<Self::Output, Text> {
        ControlFlow::Continue(text)
    }

    fn san(&mut self, text: &mut Text, san: SanPlus) -> ControlFlow<Self::Output> {
        if text.moves.len() == PLIES_MAX {
            return ControlFlow::Break(Err(Refusal::TooLong));
        }
        text.moves.push((san, None));
        ControlFlow::Continue(())
    }

    fn comment(&mut self, text: &mut Text, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        if let (Some(clock_ms), Some(last)) = (times::clock_ms(comment.as_bytes()), text.moves.last_mut()) {
            last.1 = Some(clock_ms);
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Text) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, text: &mut Text, outcome: Outcome) -> ControlFlow<Self::Output> {
        let ending = match outcome {
            Outcome::Known(KnownOutcome::Draw) => "1/2-1/2",
            Outcome::Known(KnownOutcome::Decisive { winner }) => winner.fold_wb("1-0", "0-1"),
            Outcome::Unknown => "*",
        };
        text.ending = Some(ending.to_owned());
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, text: Text) -> Self::Output {
        Ok(text)
    }
}

/// What programs write for chess from the usual position, or from one that a tag names.
fn is_chess(variant: &str) -> bool {
    ["", "?", "standard", "chess", "normal", "from position", "regular"]
        .contains(&variant.trim().to_ascii_lowercase().as_str())
}

fn shortened(mut value: String) -> String {
    while value.len() > TAG_BYTES_MAX {
        value.pop();
    }
    value
}
