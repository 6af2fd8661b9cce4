//! A table: who sits there, which game is played, and who wants another. A pure decider; the log of a table is what it decided.

#[cfg(test)]
mod tests;
mod words;

use domain_chess::{ColourPolicy, RatingPolicy, Standing, TableLeaving};

use super::facts::{GameId, PlayerId, Seat, TableId};

pub use words::{
    Circumstances, Nature, Running, Sitter, TableCommand, TableEvent, TableRefusal, Terms, Visibility,
};

/// How many sit at a table.
const SEATS: usize = 2;

/// A table at one point of its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    table_id: TableId,
    host: Seat,
    terms: Terms,
    sitters: Vec<Sitter>,
    /// A computer has sat here.
    off_the_list: bool,
    games: u32,
    current: Option<Current>,
    offer_by: Option<PlayerId>,
    opened_at_ms: i64,
    closed: bool,
}

/// The running game, or the last between those who sit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Current {
    game_id: GameId,
    white: PlayerId,
}

impl Table {
    /// The table that these events lead to; `None` unless they begin with its opening and go on with something else.
    pub fn replay<'a>(events: impl IntoIterator<Item = &'a TableEvent>) -> Option<Table> {
        let mut events = events.into_iter();
        let TableEvent::Opened { table_id, host, terms, at_ms } = events.next()? else { return None };
        let mut table = Table {
            table_id: *table_id,
            host: host.seat.clone(),
            terms: (**terms).clone(),
            off_the_list: host.nature == Nature::Computer,
            sitters: vec![host.clone()],
            games: 0,
            current: None,
            offer_by: None,
            opened_at_ms: *at_ms,
            closed: false,
        };
        for event in events {
            table.apply(event)?;
        }
        Some(table)
    }

    fn apply(&mut self, event: &TableEvent) -> Option<()> {
        match event {
            TableEvent::Opened { .. } => return None,
            TableEvent::SeatTaken { sitter, .. } => {
                self.off_the_list |= sitter.nature == Nature::Computer;
                self.sitters.push(sitter.clone());
            }
            TableEvent::SeatLeft { player_id, .. } => {
                self.sitters.retain(|sitter| sitter.seat.player_id != *player_id);
                self.current = None;
                self.offer_by = None;
            }
            TableEvent::GameBegun { game_id, white, .. } => {
                self.games += 1;
                self.current = Some(Current { game_id: *game_id, white: white.player_id });
                self.offer_by = None;
            }
            TableEvent::RematchOffered { player_id, .. } => self.offer_by = Some(*player_id),
            TableEvent::RematchDeclined { .. } => self.offer_by = None,
            TableEvent::Closed { .. } => self.closed = true,
        }
        Some(())
    }

    /// What a command makes of the table.
    ///
    /// # Errors
    /// A refusal; the table is as it was.
    pub fn decide(
        &self,
        command: &TableCommand,
        circumstances: Circumstances,
    ) -> Result<Vec<TableEvent>, TableRefusal> {
        if self.closed {
            return Err(TableRefusal::Closed);
        }
        let at_ms = circumstances.now_ms;
        match command {
            TableCommand::TakeSeat(sitter) => self.take_seat(sitter, circumstances),
            TableCommand::Leave(player_id) => self.leave(*player_id, circumstances),
            TableCommand::OfferRematch(player_id) => match self.opponents_offer(*player_id, circumstances)? {
                Some(offerer) if offerer == *player_id => Err(TableRefusal::RematchOfferOpen),
                Some(_) => Ok(vec![self.rematch(circumstances)?]),
                None => Ok(vec![TableEvent::RematchOffered { player_id: *player_id, at_ms }]),
            },
            TableCommand::AcceptRematch(player_id) | TableCommand::DeclineRematch(player_id) => {
                match self.opponents_offer(*player_id, circumstances)? {
                    Some(offerer) if offerer != *player_id => {}
                    Some(_) | None => return Err(TableRefusal::NoRematchOffer),
                }
                Ok(vec![match command {
                    TableCommand::AcceptRematch(_) => self.rematch(circumstances)?,
                    _ => TableEvent::RematchDeclined { player_id: *player_id, at_ms },
                }])
            }
            TableCommand::Expire => {
                self.no_game_runs(circumstances)?;
                Ok(vec![TableEvent::Closed { at_ms }])
            }
        }
    }

    fn take_seat(
        &self,
        sitter: &Sitter,
        circumstances: Circumstances,
    ) -> Result<Vec<TableEvent>, TableRefusal> {
        if self.sits(sitter.seat.player_id) {
            return Err(TableRefusal::AlreadySeated);
        }
        let [first] = self.sitters.as_slice() else { return Err(TableRefusal::Full) };
        let at_ms = circumstances.now_ms;
        let chosen =
            self.terms.host_color.filter(|_| self.terms.rule_set.colours == ColourPolicy::PlayersChoice);
        let hosts = chosen.filter(|_| first.seat.player_id == self.host.player_id);
        let first_has = hosts.unwrap_or(circumstances.drawn);
        let (white, black) = first_has.fold_wb((first, sitter), (sitter, first));
        Ok(vec![
            TableEvent::SeatTaken { sitter: sitter.clone(), at_ms },
            TableEvent::GameBegun {
                game_id: circumstances.next_game_id,
                white: white.seat.clone(),
                black: black.seat.clone(),
                at_ms,
            },
        ])
    }

    fn leave(
        &self,
        player_id: PlayerId,
        circumstances: Circumstances,
    ) -> Result<Vec<TableEvent>, TableRefusal> {
        if !self.sits(player_id) {
            return Err(TableRefusal::NotSeated);
        }
        self.no_game_runs(circumstances)?;
        let at_ms = circumstances.now_ms;
        let left = TableEvent::SeatLeft { player_id, at_ms };
        let closed = (self.sitters.len() == 1).then_some(TableEvent::Closed { at_ms });
        Ok(std::iter::once(left).chain(closed).collect())
    }

    /// The open offer, if any, once it is clear that another game could be had.
    fn opponents_offer(
        &self,
        player_id: PlayerId,
        circumstances: Circumstances,
    ) -> Result<Option<PlayerId>, TableRefusal> {
        if !self.sits(player_id) {
            return Err(TableRefusal::NotSeated);
        }
        self.no_game_runs(circumstances)?;
        if self.current.is_none() || self.sitters.len() < SEATS {
            return Err(TableRefusal::NoRematch);
        }
        Ok(self.offer_by)
    }

    /// The next game of the same two, colours swapped.
    fn rematch(&self, circumstances: Circumstances) -> Result<TableEvent, TableRefusal> {
        let (Some(current), [one, other]) = (self.current, self.sitters.as_slice()) else {
            return Err(TableRefusal::NoRematch);
        };
        let (white, black) = if one.seat.player_id == current.white { (other, one) } else { (one, other) };
        Ok(TableEvent::GameBegun {
            game_id: circumstances.next_game_id,
            white: white.seat.clone(),
            black: black.seat.clone(),
            at_ms: circumstances.now_ms,
        })
    }

    fn no_game_runs(&self, circumstances: Circumstances) -> Result<(), TableRefusal> {
        match (self.current, circumstances.game) {
            (Some(current), Running::Yes) => Err(TableRefusal::GameRunning { game_id: current.game_id }),
            _ => Ok(()),
        }
    }

    /// The table.
    pub fn table_id(&self) -> TableId {
        self.table_id
    }

    /// Who opened it.
    pub fn host(&self) -> &Seat {
        &self.host
    }

    /// What its games are like.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Who sits there, in the order in which they sat down.
    pub fn sitters(&self) -> &[Sitter] {
        &self.sitters
    }

    /// Whether somebody sits there.
    pub fn sits(&self, player_id: PlayerId) -> bool {
        self.sitters.iter().any(|sitter| sitter.seat.player_id == player_id)
    }

    /// How many games have begun.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// The running game, or the last between those who sit.
    pub fn game_id(&self) -> Option<GameId> {
        self.current.map(|current| current.game_id)
    }

    /// Whose offer of another game is open.
    pub fn offer_by(&self) -> Option<PlayerId> {
        self.offer_by
    }

    /// When it was opened.
    pub fn opened_at_ms(&self) -> i64 {
        self.opened_at_ms
    }

    /// Whether it is closed.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether leaving loses a running game.
    pub fn leaving_loses(&self) -> bool {
        self.terms.rule_set.leaving.table == TableLeaving::Loses
    }

    /// What the next game is worth to ratings: nothing once a computer has sat here.
    pub fn standing(&self) -> Standing {
        let rules = self.terms.rule_set.rating;
        match rules {
            _ if self.off_the_list => Standing::Casual,
            RatingPolicy::Never => Standing::Casual,
            RatingPolicy::Chosen => self.terms.wanted,
            RatingPolicy::Always | RatingPolicy::WhenBothArePeople => Standing::Rated,
        }
    }
}
