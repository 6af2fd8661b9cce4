//! `stakemate fairplay`: makes calibrations, and reports again from the log.

use std::path::{Path, PathBuf};

use calibration::Folders;
use calibration::bars::Goal;
use calibration::figures::Figure;
use calibration::fitting::Source;
use domain_fairplay::calibration::Calibration;
use fairplay::app::recompute::{self, Recomputed};
use fairplay::app::record;
use fairplay::app::settings::{MULTI_PV, SearchSettings};
use prost::Message as _;
use proto::fairplay::v1::GameReport;
use serde_json::{Value, json};
use sqlx::PgPool;
use time::OffsetDateTime;
use uci::EngineConfig;
use uuid::Uuid;

use crate::arguments::{Explain, FairplayCommand, ServiceName};
use crate::decode::event_data;
use crate::dev::state::{self, DevState};
use crate::failure::Failure;
use crate::output::print_line;

/// Carries out a command.
pub async fn run(data: &Path, command: FairplayCommand) -> Result<(), Failure> {
    match command {
        FairplayCommand::Calibrate { games, evals, out, engine, nodes, date } => {
            let date = date.unwrap_or_else(|| OffsetDateTime::now_utc().date().to_string());
            let folders = Folders { games, evaluations: evals };
            let source = Source { engine, nodes, date };
            // Fits and resampling take a while and wait for nothing.
            tokio::task::block_in_place(|| calibrate(&folders, &source, &out))
        }
        FairplayCommand::Explain(explain) => match (&explain.pgn, explain.game) {
            (Some(pgn), _) => explain_record(pgn, &explain).await,
            (None, Some(game)) => explain_game(&state::find_running(data)?, game, &explain).await,
            (None, None) => Ok(()),
        },
    }
}

/// Writes the calibration and the picture, and prints the figures. A bar that is not reached is an error; an aim is not.
fn calibrate(folders: &Folders, source: &Source, out: &Path) -> Result<(), Failure> {
    let mut made = calibration::calibrate(folders, source)?;
    let text = calibration::file::write(&mut made.calibration);
    std::fs::create_dir_all(out).map_err(|cause| Failure::Output { path: out.to_owned(), cause })?;
    write(out.join("calibration.json"), &text)?;
    write(out.join("roc.svg"), &made.roc_svg)?;
    for figure in &made.figures {
        print_line(&json!(figure));
    }
    let missed: Vec<String> = made.figures.iter().filter(|figure| is_missed(figure)).map(name).collect();
    if missed.is_empty() {
        return Ok(());
    }
    Err(Failure::Difference(format!("not reached: {}", missed.join(", "))))
}

fn is_missed(figure: &Figure) -> bool {
    figure.met == Some(false) && figure.goal == Some(Goal::Bar)
}

fn name(figure: &Figure) -> String {
    format!("{} of {} after {} games", figure.figure, figure.kind, figure.games)
}

fn write(path: PathBuf, text: &str) -> Result<(), Failure> {
    std::fs::write(&path, text).map_err(|cause| Failure::Output { path, cause })
}

/// Prints the report as it is made again, and whether it is the stored one.
async fn explain_game(state: &DevState, game: Uuid, explain: &Explain) -> Result<(), Failure> {
    let calibration = read_calibration(explain.calibration.as_deref())?;
    let pool = PgPool::connect(&state.service(ServiceName::Fairplay).database_url).await?;
    let recomputed = recompute::recompute(&pool, &calibration, game).await;
    let record = recompute::record(&pool, game).await;
    pool.close().await;
    if let Some(path) = &explain.save_pgn {
        write(path.clone(), &record?)?;
    }
    let recomputed: Recomputed = recomputed?;
    print_line(&json!({ "report": shown(&recomputed.again), "is_same": recomputed.is_same() }));
    if recomputed.is_same() {
        return Ok(());
    }
    let stored = shown(&recomputed.stored);
    Err(Failure::Difference(format!("the stored report is another one: {stored}")))
}

/// Prints the report of a record, made with an engine of this machine.
async fn explain_record(path: &Path, explain: &Explain) -> Result<(), Failure> {
    let calibration = read_calibration(explain.calibration.as_deref())?;
    let game = record::read(&read(path)?).map_err(|error| unusable(path, &error))?;
    let program = explain.engine.clone().or_else(|| uci::find_program("stockfish"));
    let engine = EngineConfig::new(program.unwrap_or_else(|| PathBuf::from("stockfish")));
    let search = SearchSettings { nodes: explain.nodes, multi_pv: MULTI_PV };
    let report = recompute::reproduce(engine, search, &calibration, &game)
        .await
        .map_err(|error| Failure::Difference(format!("the report cannot be made: {error}")))?;
    print_line(&json!({ "report": shown(&report) }));
    Ok(())
}

fn read_calibration(path: Option<&Path>) -> Result<Calibration, Failure> {
    let Some(path) = path else { return Ok(calibration::file::bundled()) };
    calibration::file::read(&read(path)?).map_err(|error| unusable(path, &error))
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|cause| Failure::Output { path: path.to_owned(), cause })
}

fn unusable(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::Difference(format!("{}: {error}", path.display()))
}

fn shown(report: &GameReport) -> Value {
    event_data("fairplay", "GameReport", &report.encode_to_vec())
}
