//! What a reader can count on in every file: its size, and that nothing in it is unfinished.

use std::fs;
use std::path::{Path, PathBuf};

/// Lines that a file may have; tests move to files of their own long before.
const LINES_PER_FILE_MAX: usize = 400;

/// Words that say that something is not done.
const UNFINISHED: &[&str] = &["todo!(", "unimplemented!(", "#[ignore", "dbg!("];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every Rust file of ours with its path from the root.
fn sources() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for folder in ["crates", "services", "tests"] {
        collect(&root().join(folder), &mut files);
    }
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a source file is text");
            let name = path.strip_prefix(root()).expect("it is below the root").display().to_string();
            (name, text)
        })
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "target" && name != "node_modules") {
                collect(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn is_test(name: &str) -> bool {
    name.contains("/tests/") || name.starts_with("tests/") || name.ends_with("tests.rs")
}

#[test]
fn no_file_is_too_long_to_read() {
    let long: Vec<_> = sources()
        .into_iter()
        .filter(|(name, text)| !is_test(name) && text.lines().count() > LINES_PER_FILE_MAX)
        .map(|(name, text)| format!("{name}: {}", text.lines().count()))
        .collect();
    assert!(long.is_empty(), "files over {LINES_PER_FILE_MAX} lines: {long:#?}");
}

#[test]
fn nothing_is_unfinished_or_switched_off() {
    let own_name = file!();
    let mut found = Vec::new();
    for (name, text) in sources() {
        if own_name.ends_with(&name) {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            if UNFINISHED.iter().any(|word| line.contains(word)) {
                found.push(format!("{name}:{}", number + 1));
            }
        }
    }
    assert!(found.is_empty(), "unfinished: {found:#?}");
}

#[test]
fn every_library_says_what_it_is_for() {
    for (name, text) in sources() {
        if name.ends_with("src/lib.rs") {
            assert!(text.starts_with("//! "), "{name} begins without saying its purpose");
        }
    }
}

#[test]
fn names_say_what_a_file_is_about() {
    const EMPTY_WORDS: &[&str] = &["utils", "util", "helpers", "helper", "common", "manager", "misc"];
    // What every service is configured with is called the common configuration, and nothing else is.
    const KNOWN: &str = "crates/service-kit/src/config/common.rs";
    for (name, _) in sources() {
        let stem = Path::new(&name).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        assert!(name == KNOWN || !EMPTY_WORDS.contains(&stem), "{name} has a name that says nothing");
    }
}
