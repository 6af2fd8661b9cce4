//! Why a command that looks into a running stack did not do its work.

use crate::ExitStatus;
use crate::dev::state::NotRunning;

/// The failures of all commands but `dev`.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// There is no stack to look into.
    #[error(transparent)]
    NotRunning(#[from] NotRunning),
    /// A service's database did not do as asked.
    #[error("the database refused: {0}")]
    Database(#[from] sqlx::Error),
    /// The broker cannot be used.
    #[error(transparent)]
    Connect(#[from] event_bus::ConnectError),
    /// The broker did not do as asked.
    #[error("the broker refused: {0}")]
    Broker(String),
    /// The gateway refused.
    #[error("the gateway refused: {}", .0.message())]
    Refused(Box<tonic::Status>),
    /// Nothing of that name is parked.
    #[error("{0}")]
    NotParked(String),
    /// A data set cannot be used.
    #[error(transparent)]
    Dataset(#[from] calibration::dataset::DatasetError),
    /// A file cannot be written, or not be read.
    #[error("{path}: {cause}")]
    Output {
        /// Which.
        path: std::path::PathBuf,
        /// Why not.
        cause: std::io::Error,
    },
    /// A report cannot be made again.
    #[error(transparent)]
    Recompute(#[from] fairplay::app::recompute::RecomputeError),
    /// A file of games, or the archive that it goes to or comes from, failed.
    #[error(transparent)]
    Library(#[from] game::store::library::LibraryError),
    /// A check found that something does not add up.
    #[error("{0}")]
    Difference(String),
}

impl Failure {
    /// The exit code for it.
    #[must_use]
    pub fn exit_status(&self) -> ExitStatus {
        match self {
            Self::NotRunning(_) => ExitStatus::WrongState,
            Self::Difference(_) => ExitStatus::Difference,
            _ => ExitStatus::Failed,
        }
    }
}

impl From<tonic::Status> for Failure {
    fn from(status: tonic::Status) -> Self {
        Self::Refused(Box::new(status))
    }
}
