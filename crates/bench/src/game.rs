//! The game service's figures, in the order in which they are measured.

use std::path::PathBuf;

use crate::closed_loop::{self, Peers};
use crate::decisions;
use crate::figure::{Figure, Goal};
use crate::losses;
use crate::paced;
use crate::packing;
use crate::raw;
use crate::recovery;
use crate::sizes;
use crate::stand::Stand;
use crate::timers;
use crate::watched;

/// How much is measured.
#[derive(Clone, Debug)]
pub struct Extent {
    /// Games of the closed loop.
    pub games: usize,
    /// Games of the large closed loop.
    pub games_large: usize,
    /// Rounds of the closed loop, of which the median counts.
    pub rounds: usize,
    /// Games with a second's thought.
    pub games_paced: usize,
    /// Sizes of the log, the smallest first.
    pub log_sizes: Vec<usize>,
    /// A PGN file with games of people, to be packed.
    pub games_file: Option<PathBuf>,
    /// The folder of what we are compared with.
    pub peers: PathBuf,
    /// Which parts; all when there is none.
    pub parts: Vec<Part>,
}

/// A part of the measurement that can be had alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// P6 and P9, packed games: rules alone, no server.
    Rules,
    /// P7.
    Flags,
    /// P1, P2, P3 and the log of P9.
    Loops,
    /// P4, and P3 with thought.
    Paced,
    /// Kills in the middle of games.
    Losses,
    /// P8.
    Recovery,
    /// P5 with streams.
    Watched,
    /// P16.
    Sizes,
}

impl Extent {
    fn has(&self, part: Part) -> bool {
        self.parts.is_empty() || self.parts.contains(&part)
    }
}

/// Measures and prints everything.
///
/// # Errors
/// When something that has to work does not: a figure that could not be measured is not printed.
pub async fn run(extent: &Extent) -> anyhow::Result<()> {
    if extent.has(Part::Rules) {
        let of_people = extent.games_file.as_deref().map(packing::read).transpose()?.unwrap_or_default();
        print(&packing::measure(&of_people)?);
        print(&tokio::task::spawn_blocking(move || decisions::measure(&of_people)).await?);
    }
    if extent.has(Part::Flags) {
        print(&timers::measure().await?);
    }
    let mut stand = Stand::start().await?;
    if [Part::Loops, Part::Paced, Part::Losses, Part::Recovery].into_iter().any(|part| extent.has(part)) {
        stand.start_service().await?;
        stand.start_gateway().await?;
    }
    if extent.has(Part::Loops) || extent.has(Part::Paced) {
        beside_others(&mut stand, extent).await?;
    }
    // The games that are recovered are copies of one that was played here.
    if extent.has(Part::Losses) || extent.has(Part::Recovery) {
        print(&[losses::measure(&mut stand).await?]);
    }
    if extent.has(Part::Recovery) {
        print(&[recovery::measure(&mut stand).await?]);
    }
    if extent.has(Part::Watched) {
        stand.stop_services();
        stand.empty().await?;
        stand.start_service().await?;
        print(&[watched::measure(&mut stand).await?]);
    }
    if extent.has(Part::Sizes) {
        stand.stop_services();
        stand.empty().await?;
        print(&sizes::measure(&stand.pool, &extent.log_sizes).await?);
    }
    Ok(())
}

/// What is compared with the machine's own limits and with the peers, in one run with them.
async fn beside_others(stand: &mut Stand, extent: &Extent) -> anyhow::Result<()> {
    print(&[raw::fdatasync()?, raw::echo().await?]);
    let database_pid = stand.postgres_pid()?;
    let (rows, figures) = raw::database(&stand.pool, database_pid).await?;
    print(&figures);
    let mut peers = Peers::start(stand, &extent.peers, extent.games).await?;
    if let Some(peers) = &peers {
        print(&[Figure {
            id: "peer",
            name: "connections of Colyseus to Postgres, the best of some".to_owned(),
            value: peers.connections as f64,
            unit: "connections",
            goal: Goal::None,
            n: 1,
        }]);
    }
    // Before the loops: the games that they finish are packed for minutes afterwards, which would be counted here.
    if extent.has(Part::Paced) {
        print(&paced::measure(stand, extent, peers.as_mut()).await?);
    }
    if extent.has(Part::Loops) {
        print(&closed_loop::measure(stand, extent, peers.as_mut(), &rows).await?);
    }
    Ok(())
}

fn print(figures: &[Figure]) {
    figures.iter().for_each(Figure::print);
}
