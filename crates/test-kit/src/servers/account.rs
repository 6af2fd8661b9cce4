//! Which account a server runs as.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{LaunchError, io_error};

/// "nobody": owns nothing on any distribution, so nothing is lost to a server that runs as it.
pub const UNPRIVILEGED_ID: u32 = 65534;

/// The account of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Account {
    /// The one we run as.
    Own,
    /// The unprivileged one that root drops to.
    Unprivileged,
}

impl Account {
    /// The unprivileged account if we are root, else our own.
    #[must_use]
    pub fn safest() -> Self {
        if nix::unistd::geteuid().is_root() { Self::Unprivileged } else { Self::Own }
    }

    /// The safest account that can reach both files: a checkout in a closed folder still gets its servers, as root.
    #[must_use]
    pub fn safest_reaching(program: &Path, folder: &Path) -> Self {
        let safest = Self::safest();
        match safest.check_reach(program).and(safest.check_reach(folder)) {
            Ok(()) => safest,
            Err(_) => Self::Own,
        }
    }

    /// Is the file open to the account, and can every folder above it be entered?
    pub fn check_reach(self, file: &Path) -> Result<(), LaunchError> {
        if self == Self::Own {
            return Ok(());
        }
        let file = fs::canonicalize(file).map_err(io_error(format!("find {}", file.display())))?;
        match file.ancestors().find(|path| !can_enter(path)) {
            None => Ok(()),
            Some(closed) => {
                Err(LaunchError::Unreachable { path: PathBuf::from(closed), uid: UNPRIVILEGED_ID })
            }
        }
    }

    /// Makes the folder if it is not there and gives it to the account alone.
    pub fn own_folder(self, folder: &Path) -> io::Result<()> {
        if !folder.exists() {
            fs::DirBuilder::new().mode(0o700).create(folder)?;
        }
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        match self {
            Self::Own => Ok(()),
            Self::Unprivileged => chown(folder, Some(UNPRIVILEGED_ID), Some(UNPRIVILEGED_ID)),
        }
    }

    /// Lets the command run as the account. Its working folder becomes `/`, since it may not see ours.
    pub fn apply(self, command: &mut Command) {
        command.current_dir("/");
        if self == Self::Unprivileged {
            // This also empties the list of supplementary groups.
            command.uid(UNPRIVILEGED_ID).gid(UNPRIVILEGED_ID);
        }
    }
}

fn can_enter(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| {
        let mode = metadata.mode();
        mode & 0o001 != 0 || (metadata.uid() == UNPRIVILEGED_ID && mode & 0o100 != 0)
    })
}
