//! Where everything lies below the data folder.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::{StartError, io_error};

/// Others may pass through, since root's servers run as another account; what is secret closes itself.
const PASSAGE_MODE: u32 = 0o711;
const PRIVATE_MODE: u32 = 0o700;

/// The data folder of one stack. Servers and tools that `scripts/bootstrap` installed may lie in it as well.
#[derive(Debug, Clone)]
pub struct Layout {
    data: PathBuf,
}

impl Layout {
    /// The layout below `data`, which need not exist.
    pub fn new(data: &Path) -> Result<Self, StartError> {
        let data =
            std::path::absolute(data).map_err(io_error(format!("find the folder {}", data.display())))?;
        Ok(Self { data })
    }

    /// The folder itself.
    #[must_use]
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// State of the running stack.
    #[must_use]
    pub fn state_file(&self) -> PathBuf {
        self.data.join("dev.json")
    }

    /// The cluster, its socket and its log.
    #[must_use]
    pub fn postgres(&self) -> PathBuf {
        self.data.join("postgres")
    }

    /// JetStream's store and the server's log.
    #[must_use]
    pub fn nats(&self) -> PathBuf {
        self.data.join("nats")
    }

    /// The socket and the log.
    #[must_use]
    pub fn redis(&self) -> PathBuf {
        self.data.join("redis")
    }

    /// The key pair that signs tokens.
    #[must_use]
    pub fn keys(&self) -> PathBuf {
        self.data.join("keys")
    }

    /// Where a service writes its log.
    #[must_use]
    pub fn log(&self, service: &str) -> PathBuf {
        self.data.join("logs").join(format!("{service}.log"))
    }

    /// Makes all folders.
    pub fn make(&self) -> Result<(), StartError> {
        let logs = self.data.join("logs");
        for (folder, mode) in [
            (self.data.clone(), PASSAGE_MODE),
            (self.postgres(), PASSAGE_MODE),
            (self.nats(), PASSAGE_MODE),
            (self.redis(), PASSAGE_MODE),
            (logs, PRIVATE_MODE),
            (self.keys(), PRIVATE_MODE),
        ] {
            DirBuilder::new()
                .recursive(true)
                .mode(mode)
                .create(&folder)
                .map_err(io_error(format!("make {}", folder.display())))?;
        }
        Ok(())
    }

    /// Takes the folder for this process, until the returned file is dropped or the process ends in whatever way.
    pub fn lock(&self) -> Result<File, StartError> {
        let path = self.data.join("dev.lock");
        let file = File::create(&path).map_err(io_error(format!("open {}", path.display())))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(StartError::AlreadyRunning { data: self.data.clone() }),
            Err(TryLockError::Error(source)) => Err(io_error(format!("lock {}", path.display()))(source)),
        }
    }

    /// Removes everything a stack made; what `scripts/bootstrap` installed stays.
    pub fn clean(&self) -> Result<(), StartError> {
        if !self.data.exists() {
            return Ok(());
        }
        let _lock = self.lock()?;
        let logs = self.data.join("logs");
        for folder in [self.postgres(), self.nats(), self.redis(), logs, self.keys()] {
            if folder.exists() {
                fs::remove_dir_all(&folder).map_err(io_error(format!("remove {}", folder.display())))?;
            }
        }
        let state = self.state_file();
        if state.exists() {
            fs::remove_file(&state).map_err(io_error(format!("remove {}", state.display())))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_folder_belongs_to_one_launcher_at_a_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let layout = Layout::new(&folder.path().join("data")).expect("an absolute path");
        layout.make().expect("folders");
        let lock = layout.lock().expect("the first takes it");
        assert!(matches!(layout.lock(), Err(StartError::AlreadyRunning { .. })));
        assert!(matches!(layout.clean(), Err(StartError::AlreadyRunning { .. })));
        drop(lock);
        layout.lock().expect("free again");
    }

    #[test]
    fn cleaning_leaves_the_installed_servers() {
        let folder = tempfile::tempdir().expect("a folder");
        let layout = Layout::new(folder.path()).expect("an absolute path");
        layout.make().expect("folders");
        let servers = folder.path().join("servers");
        fs::create_dir(&servers).expect("a folder");
        layout.clean().expect("nobody holds it");
        assert!(servers.exists());
        assert!(!layout.postgres().exists());
        assert!(!layout.keys().exists());
    }
}
