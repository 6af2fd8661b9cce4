//! The migrations are part of the program, so a new one is a reason to build it again.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations/matchmaking");
}
