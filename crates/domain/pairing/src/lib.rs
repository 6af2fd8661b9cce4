//! Who meets whom: from the tickets waiting in one queue to pairs with colours.
//!
//! A queue is one city and one time control. [`pair`] is one pass over it: a pure function of the tickets, the time and a
//! coin, so that any pass can be repeated from its input. The order of the tickets in the input does not matter.
//!
//! # Map
//! * [`ticket`]: what a waiting player brings.
//! * [`window`](mod@window): how far apart two ratings may lie, by the time waited.
//! * [`veto`](mod@veto): why two players in range are still not paired, and the hold on an immediate rematch.
//! * [`color`]: who gets White.
//! * [`pass`](mod@pass): the pass itself, and who is left without anybody in reach.
//! * [`history`]: how long one is likely to wait.
//! * `reach`: the search structure of the pass (private).
//!
//! # How a pass works
//! Tickets are served longest wait first; each takes the nearest rating that is allowed. Whoever is served has waited longest of all
//! that are left, so his window is the widest and the other's decides: the question is always "who is nearest to me among those
//! whose window reaches me?". Two trees over the ratings (one looking down, one looking up) answer it in O(log n) each time,
//! so a pass is O((n + v) log n) with v the neighbours passed over for a veto, which [`pass::PASSED_OVER_MAX`] bounds.
//!
//! # Invariants
//! * `PAIRING-1` A player is in at most one pair of a pass, however many tickets he has, and never meets himself.
//! * `PAIRING-2` The rating difference of a pair is inside both windows.
//! * `PAIRING-3` No veto and no held rematch is ever paired.
//! * `PAIRING-4` A pass leaves no two tickets that could be paired (short of the bound above).
//! * `PAIRING-5` The same tickets, time and coin give the same pairs in the same order.
//!
//! # Deliberately absent
//! No clock and no randomness: both come in with the [`Round`]. No claims: that two passes of two instances do not pair a
//! player twice is the business of the queue's lease and the atomic claim. The six games a day are counted elsewhere; here
//! they arrive as vetoes.

pub mod color;
pub mod history;
pub mod pass;
mod reach;
pub mod ticket;
pub mod veto;
pub mod window;

pub use history::estimated_wait_ms;
pub use pass::{Pairing, Round, pair, without_opponent};
pub use ticket::{Encounter, PlayerId, Ticket};
pub use veto::{REMATCH_HOLD_MS, Veto, veto};
pub use window::window;
