//! What people may type.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use uuid::Uuid;

/// How many events a tail shows before new ones.
const TAIL_COUNT: u64 = 20;

/// The processes of a stack, as the launcher names them.
const VICTIMS: [&str; 9] =
    ["postgres", "nats", "redis", "wallet", "rating", "fairplay", "matchmaking", "game", "gateway"];

/// The Stakemate command line.
#[derive(Debug, Parser)]
#[command(name = "stakemate", version, about = "Runs and inspects a Stakemate stack")]
pub struct Arguments {
    /// Folder of the stack's data.
    #[arg(long, global = true, env = "STAKEMATE_DATA", default_value = ".stakemate")]
    pub data: PathBuf,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Starts every server and service as child processes, and stops them at Ctrl-C.
    Dev {
        /// Port of the edge on the loopback.
        #[arg(long, env = "STAKEMATE_PORT", default_value_t = 8080)]
        port: u16,
        /// Folder of the services' programs; beside this program by default.
        #[arg(long)]
        programs: Option<PathBuf>,
        /// How many instances of the game service share the games.
        #[arg(long, env = "STAKEMATE_GAME_INSTANCES", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
        game_instances: u8,
    },
    /// Plays four staked games from queue to payout, on the running stack or on one of its own.
    Demo,
    /// Plays matches on a stack of its own while its processes are killed, and looks for anything lost or doubled.
    Chaos {
        /// Runs, each with other moves and other moments.
        #[arg(long, default_value_t = 1)]
        seeds: u64,
        /// Matches of a run, at least.
        #[arg(long, default_value_t = 100)]
        matches: usize,
        /// How often each victim is killed in a run.
        #[arg(long, default_value_t = 2)]
        kills: usize,
        /// Who is killed, with commas between.
        #[arg(long, value_delimiter = ',', default_values_t = VICTIMS.map(str::to_owned),
              value_parser = clap::builder::PossibleValuesParser::new(VICTIMS))]
        victims: Vec<String>,
    },
    /// Measures, on the running stack or on one of its own, and prints one JSON line a figure.
    #[command(subcommand)]
    Bench(BenchCommand),
    /// Removes the data of a stopped stack; installed servers stay.
    CleanData,
    /// Fair play: calibration and evidence.
    #[command(subcommand)]
    Fairplay(FairplayCommand),
    /// Looks into the running stack.
    #[command(flatten)]
    Inspect(InspectCommand),
}

/// What is measured.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Real games through the gateway, two clients each: every move acknowledged from disk and seen by the opponent.
    Games {
        /// So many at once.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=2_000))]
        concurrent: u16,
        /// How long a player thinks about each move, in milliseconds.
        #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(..=60_000))]
        think: u64,
        /// Half-moves of each game, at most 80.
        #[arg(long, default_value_t = 80, value_parser = clap::value_parser!(u16).range(2..=80))]
        plies: u16,
    },
    /// From a match that is found to both clients seeing the game, on a stack of its own.
    Matches,
}

/// Fair play: calibration and evidence.
#[derive(Debug, Subcommand)]
pub enum FairplayCommand {
    /// Makes a calibration of evaluated games and prints its figures as JSON lines.
    Calibrate {
        /// Folder with the games: `human_games_2025.pgn` and `synthetic_labelled.pgn`.
        #[arg(long)]
        games: PathBuf,
        /// Folder with their evaluations: `evaluations_human.jsonl.gz` and `evaluations_synthetic.jsonl.gz`.
        #[arg(long)]
        evals: PathBuf,
        /// Folder for `calibration.json` and `roc.svg`.
        #[arg(long)]
        out: PathBuf,
        /// The engine that made the evaluations, as it names itself.
        #[arg(long, default_value = "Stockfish 15.1")]
        engine: String,
        /// Nodes it searched a position.
        #[arg(long, default_value_t = 50_000)]
        nodes: u64,
        /// The day the calibration is named by, as 2026-11-29; today by default.
        #[arg(long)]
        date: Option<String>,
    },
    /// Makes a game's report again and prints it: from the running stack's log, where a difference is an error, or with `--pgn`
    /// from the game's record and an engine of one's own.
    Explain(Explain),
}

/// Which report is made again, and from what.
#[derive(Debug, Args)]
pub struct Explain {
    /// The game, in the running stack.
    #[arg(required_unless_present = "pgn", conflicts_with = "pgn")]
    pub game: Option<Uuid>,
    /// Writes the game's record, from which anybody can make the report again, to this file.
    #[arg(long, conflicts_with = "pgn")]
    pub save_pgn: Option<PathBuf>,
    /// A game's record, as `--save-pgn` and the service's answer have it; no stack is asked.
    #[arg(long)]
    pub pgn: Option<PathBuf>,
    /// The calibration; the bundled one by default.
    #[arg(long)]
    pub calibration: Option<PathBuf>,
    /// The engine, with `--pgn`; `stockfish` of this machine by default.
    #[arg(long)]
    pub engine: Option<PathBuf>,
    /// Nodes that the engine searches a position, with `--pgn`.
    #[arg(long, default_value_t = 25_000)]
    pub nodes: u64,
}

/// Looks into the running stack.
#[derive(Debug, Subcommand)]
pub enum InspectCommand {
    /// What services tell each other.
    #[command(subcommand)]
    Events(EventsCommand),
    /// Messages that a service could not handle.
    #[command(subcommand)]
    DeadLetters(DeadLettersCommand),
    /// All money.
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Games as everybody may see them.
    #[command(subcommand)]
    Game(GameCommand),
}

/// What services tell each other.
#[derive(Debug, Subcommand)]
pub enum EventsCommand {
    /// Prints the last public events of a service as JSON lines.
    Tail {
        /// Whose events.
        #[arg(long)]
        service: ServiceName,
        /// How many of the past.
        #[arg(long, default_value_t = TAIL_COUNT)]
        count: u64,
        /// Goes on with new events until interrupted.
        #[arg(long)]
        follow: bool,
    },
    /// Sends again what a service has published, to a broker that lost it.
    Republish {
        /// Whose events.
        #[arg(long)]
        service: ServiceName,
        /// From then on, for example 2026-11-29T12:00:00Z.
        #[arg(long, value_parser = parse_time)]
        since: OffsetDateTime,
    },
}

/// Where a tail ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TailEnd {
    /// At the event that is the last one now.
    Last,
    /// Never.
    Never,
}

/// Messages that a service could not handle.
#[derive(Debug, Subcommand)]
pub enum DeadLettersCommand {
    /// Prints them as JSON lines.
    List {
        /// Only those of this service.
        #[arg(long)]
        service: Option<ServiceName>,
    },
    /// Asks for another try of a stream's first parked message; those behind it follow.
    Retry(Letter),
    /// Counts a stream's first parked message as handled, without its effects.
    Skip {
        /// Which.
        #[command(flatten)]
        letter: Letter,
        /// Its version, as `list` shows it: nobody skips more than he has looked at.
        #[arg(long)]
        version: i64,
    },
}

/// Whose parked messages.
#[derive(Debug, Args)]
pub struct Letter {
    /// The service that could not handle it.
    #[arg(long)]
    pub service: ServiceName,
    /// Its consumer, as `list` shows it.
    #[arg(long)]
    pub consumer: String,
    /// The stream, as `list` shows it.
    #[arg(long)]
    pub stream: Uuid,
    /// Why; kept with what was done.
    #[arg(long, default_value = "not said")]
    pub reason: String,
}

/// All money.
#[derive(Debug, Subcommand)]
pub enum LedgerCommand {
    /// Recomputes every balance from the log and names the first difference.
    Verify,
}

/// Games as everybody may see them.
#[derive(Debug, Subcommand)]
pub enum GameCommand {
    /// Prints every position, one a line.
    Replay {
        /// The game.
        game: Uuid,
    },
    /// Prints a game, or all that have ended, in Portable Game Notation.
    Export {
        /// The game.
        #[arg(required_unless_present = "all")]
        game: Option<Uuid>,
        /// All games that have ended, the newest first, as one file.
        #[arg(long, conflicts_with = "game")]
        all: bool,
    },
    /// Takes the games of a PGN file into the archive, as casual games of the city `import`.
    Import {
        /// The file; `-` is standard input.
        file: PathBuf,
    },
}

/// A service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ServiceName {
    /// Accounts.
    Gateway,
    /// Queues and matches.
    Matchmaking,
    /// Games.
    Game,
    /// Ratings.
    Rating,
    /// Money.
    Wallet,
    /// Analysis.
    Fairplay,
}

impl ServiceName {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Gateway, Self::Matchmaking, Self::Game, Self::Rating, Self::Wallet, Self::Fairplay];

    /// As it stands in subjects, packages and databases.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Matchmaking => "matchmaking",
            Self::Game => "game",
            Self::Rating => "rating",
            Self::Wallet => "wallet",
            Self::Fairplay => "fairplay",
        }
    }
}

fn parse_time(text: &str) -> Result<OffsetDateTime, String> {
    OffsetDateTime::parse(text, &Rfc3339)
        .map_err(|error| format!("{error}; for example 2026-11-29T12:00:00Z"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_of_the_arguments_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn dev_takes_a_port_and_a_folder() {
        let arguments = Arguments::try_parse_from(["stakemate", "dev", "--port", "9090", "--data", "/x"])
            .expect("known arguments");
        assert_eq!(arguments.data, PathBuf::from("/x"));
        assert!(matches!(arguments.command, Command::Dev { port: 9090, .. }));
    }

    #[test]
    fn what_is_no_port_service_id_or_time_is_refused() {
        for words in [
            vec!["dev", "--port", "70000"],
            vec!["dev", "--game-instances", "0"],
            vec!["events", "tail", "--service", "chess"],
            vec!["events", "republish", "--service", "game", "--since", "yesterday"],
            vec!["game", "replay", "17"],
            vec!["game", "export"],
            vec!["fairplay", "explain"],
            vec!["fairplay", "explain", "01890000-0000-7000-8000-000000000000", "--pgn", "game.pgn"],
            vec!["bench", "games", "--concurrent", "0"],
            vec!["bench", "games", "--plies", "81"],
            vec!["game", "export", "--all", "01890000-0000-7000-8000-000000000000"],
        ] {
            let all = ["stakemate"].into_iter().chain(words.iter().copied());
            assert!(Arguments::try_parse_from(all).is_err(), "{words:?}");
        }
    }

    #[test]
    fn chaos_kills_whom_it_is_told_and_everybody_by_default() {
        let victims = |words: &[&str]| {
            let all = ["stakemate", "chaos"].iter().chain(words).copied();
            match Arguments::try_parse_from(all).map(|arguments| arguments.command) {
                Ok(Command::Chaos { victims, .. }) => Some(victims),
                _ => None,
            }
        };
        assert_eq!(
            victims(&["--victims", "wallet,nats"]),
            Some(vec!["wallet".to_owned(), "nats".to_owned()])
        );
        assert_eq!(victims(&[]).map(|all| all.len()), Some(VICTIMS.len()));
        assert_eq!(victims(&["--victims", "init"]), None);
    }

    #[test]
    fn skipping_names_the_message_in_full() {
        let stream = Uuid::nil().to_string();
        let words = ["stakemate", "dead-letters", "skip", "--service", "wallet", "--consumer", "c"];
        let whole = words.into_iter().chain(["--stream", &stream, "--version", "3"]);
        assert!(Arguments::try_parse_from(whole).is_ok());
        let without_version = words.into_iter().chain(["--stream", &stream]);
        assert!(Arguments::try_parse_from(without_version).is_err());
    }
}
