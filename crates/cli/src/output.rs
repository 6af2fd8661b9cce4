//! Results on standard output.

use std::io::Write;

use serde_json::Value;

/// Prints one JSON line. A reader that has gone away, as in `| head`, ends the program like any filter.
pub fn print_line(value: &Value) {
    print_text(&format!("{value}\n"));
}

/// Prints text as it is.
pub fn print_text(text: &str) {
    let mut out = std::io::stdout().lock();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}
