//! The events of what the house makes good, both ways.

use domain_ledger::FundSource;
use prost::Message;
use proto::wallet::v1 as wire;

use super::decode::{Reason, Subject, all_booked, booked, game, match_id, player, reason};
use super::encode::{Encoded, encoded, match_text, player_text};
use super::kinds;
use crate::app::posting::{Posting, Ruling, WalletEvent};

/// Writes the events that the parent does not.
pub(super) fn write(event: &WalletEvent, transfers: Vec<wire::LedgerTransfer>) -> Encoded {
    match event {
        WalletEvent::VictimRefunded { match_id, game, victim, winner, ruling } => {
            let message = wire::VictimRefunded {
                match_id: match_text(*match_id),
                game_id: game.0.to_string(),
                player_id: player_text(*victim),
                winner_player_id: player_text(*winner),
                case_id: ruling.case.to_string(),
                decided_by: ruling.decided_by.to_string(),
                reason: ruling.reason.clone(),
                transfers,
            };
            encoded(kinds::VICTIM_REFUNDED, &message)
        }
        WalletEvent::FundAdjusted { source, reason, adjusted_by } => {
            let message = wire::FundAdjusted {
                transfer: transfers.into_iter().next(),
                source: source_code(*source) as i32,
                reason: reason.clone(),
                adjusted_by: adjusted_by.to_string(),
            };
            encoded(kinds::FUND_ADJUSTED, &message)
        }
        _ => unreachable!("the parent writes every other event"),
    }
}

/// Reads the events that the parent does not.
pub(super) fn read(kind: &str, data: &[u8]) -> Result<Posting, Reason> {
    if kind == kinds::FUND_ADJUSTED {
        return fund_adjusted(wire::FundAdjusted::decode(data)?);
    }
    let message = wire::VictimRefunded::decode(data)?;
    let match_id = match_id(&message.match_id)?;
    let event = WalletEvent::VictimRefunded {
        match_id,
        game: game(&message.game_id)?,
        victim: player(&message.player_id)?,
        winner: player(&message.winner_player_id)?,
        ruling: Ruling {
            case: message.case_id.parse()?,
            decided_by: message.decided_by.parse()?,
            reason: message.reason,
        },
    };
    Ok(Posting { event, transfers: all_booked(message.transfers, match_id)? })
}

fn fund_adjusted(message: wire::FundAdjusted) -> Result<Posting, Reason> {
    let Some(source) = fund_source(message.source()) else { return reason("no source of the fund's money") };
    let Some(transfer) = message.transfer else { return reason("no transfer") };
    let event = WalletEvent::FundAdjusted {
        source,
        reason: message.reason,
        adjusted_by: message.adjusted_by.parse()?,
    };
    Ok(Posting { event, transfers: vec![booked(transfer, Subject::Fund)?] })
}

fn source_code(source: FundSource) -> wire::FundSource {
    match source {
        FundSource::Fees => wire::FundSource::Fees,
        FundSource::Outside => wire::FundSource::Outside,
    }
}

/// A source by its name on the wire; nothing if it has none.
pub fn fund_source(code: wire::FundSource) -> Option<FundSource> {
    [FundSource::Fees, FundSource::Outside].into_iter().find(|source| source_code(*source) == code)
}
