//! The game service as its callers meet it: through its gRPC server, on a real Postgres and a real NATS, with a clock that
//! the test turns.
//!
//! # Cases of the public reports
//!
//! `domain` stands for the tests of `domain-chess` (`crates/domain/chess/tests/it`), which also start from positions; the service
//! plays from the start position only.
//!
//! | case | test |
//! |---|---|
//! | A01 | `claims::a_claim_is_right_once_…`, domain `repetition` |
//! | A02, A04 | `cases::a_position_is_the_same_with_…`, domain `repetition` |
//! | A06, A07 | `claims::the_player_on_move_claims_…` |
//! | A09 | `claims::fifty_moves_are_claimed_…`, `cases::a_capture_resets_…` |
//! | A11, A12, A19, A22, A24, A34, A37, A41, A42 | domain (positions) |
//! | A14 | `endings::every_kind_of_draw_…`, `claims` |
//! | A16, A17, A21 | `commands::a_captured_rook_…`, `cases::moves_that_leave_…` |
//! | A26, A27, A29 | `endings::a_flag_against_a_bare_king_…`, `cases::a_flag_against_king_and_knight_…`, domain `mating_material` |
//! | A31 | `cases::resigning_to_a_bare_king_…` |
//! | A32, A36 | `cases::san_names_no_file_…`, `commands::a_rook_move_that_looks_like_castling_…` |
//! | A39 | `commands::a_promotion_names_its_piece` |
//! | B01, B06 | `endings::fifty_games_at_the_edge_…`, `endings::a_flag_falls_without_any_call_…` |
//! | B02, C12 | `commands::a_move_sent_three_times_…` |
//! | B04, B07 | `restarts`, `process::kill_9_…` |
//! | B09, B12 | `endings::the_clock_is_previous_…`, `lag`, domain `clocks` |
//! | B11 | `cases::five_moves_of_five_seconds_…`, `lag::a_quick_move_unmasks_…` |
//! | B14 | `watching::no_frame_shows_a_clock_…`, domain `properties` |
//! | B16 | `commands::a_move_for_another_ply_…` |
//! | B17 | `endings::a_missing_first_move_…` |
//! | B19 | `cases::who_does_not_want_to_play_on_…` |
//! | B21, B22 | `presence::who_is_gone_for_a_minute_…`, domain `leaving` |
//! | B24 | `cases::fifty_offers_…` |
//! | C01, C02, C04 | `drawing` |
//! | C06 | `tables::crossing_offers_of_another_game_…` |
//! | C07 | `endings::twenty_calls_at_the_flag_…` |
//! | C09 | `endings::nobody_moves_after_a_resignation` |
//! | C11 | `commands::of_two_moves_for_one_ply_…` |
//! | C14 | `watching::a_stream_is_resumed_…` |
//! | C16 | `tests/` of the rating service: a game is rated once |

mod archive;
mod cases;
mod claims;
mod commands;
mod drawing;
mod endings;
mod faults;
mod featured;
mod harness;
mod lag;
mod lines;
mod lists;
mod log;
mod matches;
mod presence;
mod process;
mod replays;
mod restarts;
mod rule_sets;
mod shards;
mod tables;
mod watching;
