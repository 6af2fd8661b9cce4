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
}

/// Measures and prints everything.
///
/// # Errors
/// When something that has to work does not: a figure that could not be measured is not printed.
pub async fn run(extent: &Extent) -> anyhow::Result<()> {
    let print = |figures: Vec<Figure>| figures.iter().for_each(Figure::print);
    let of_people = extent.games_file.as_deref().map(packing::read).transpose()?.unwrap_or_default();
    print(packing::measure(&of_people)?);
    print(tokio::task::spawn_blocking(move || decisions::measure(&of_people)).await?);
    print(timers::measure().await?);
    print(vec![raw::fdatasync()?, raw::echo().await?]);
    let mut stand = Stand::start().await?;
    let database_pid = stand.postgres_pid()?;
    let (rows, figures) = raw::database(&stand.pool, database_pid).await?;
    print(figures);
    stand.start_service().await?;
    stand.start_gateway().await?;
    let mut peers = Peers::start(&mut stand, &extent.peers, extent.games).await?;
    if let Some(peers) = &peers {
        print(vec![Figure {
            id: "peer",
            name: "connections of Colyseus to Postgres, the best of some".to_owned(),
            value: peers.connections as f64,
            unit: "connections",
            goal: Goal::None,
            n: 1,
        }]);
    }
    print(closed_loop::measure(&mut stand, extent, peers.as_mut(), &rows).await?);
    print(paced::measure(&mut stand, extent, peers.as_mut()).await?);
    drop(peers);
    print(vec![losses::measure(&mut stand).await?]);
    print(vec![recovery::measure(&mut stand).await?]);
    stand.stop_services();
    stand.empty().await?;
    stand.start_service().await?;
    print(vec![watched::measure(&mut stand).await?]);
    stand.stop_services();
    stand.empty().await?;
    print(sizes::measure(&stand.pool, &extent.log_sizes).await?);
    Ok(())
}
