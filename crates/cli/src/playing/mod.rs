//! Signed-in players at the gateway, as `demo` and `chaos` need them: they queue, watch and move, and are patient with
//! services that are being restarted.
//!
//! * [`player`]: one player, who speaks gRPC-Web, and repeats what the other side did not hear.
//! * [`queue`]: from the queue to a game.
//! * [`moves`]: watching a game, and moving when it is one's turn.

pub mod moves;
pub mod player;
pub mod queue;
