//! Files of games as other programs write them.

use domain_chess::pgn::{Headers, PgnGame, export};
use domain_chess::pgn_import::Games;
use domain_chess::{Event, Game, archive};

use super::CHESS_WORDS;
use crate::{Target, Verdict};

pub(super) const TARGET: Target = Target { name: "pgn", check, seeds, words: CHESS_WORDS };

fn seeds() -> Vec<Vec<u8>> {
    [
        "[Event \"Casual\"]\n[White \"Ada\"]\n[Black \"Ben\"]\n[Result \"1-0\"]\n[TimeControl \"180+2\"]\n\n\
         1. e4 { [%clk 0:03:00] } e5 { [%clk 0:03:00] } 2. Bc4 { [%clk 0:02:55] } Nc6 { [%clk 0:02:50] } 3. Qh5 Nf6 4. Qxf7# 1-0\n",
        "[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. a8=Q+ (1. Kd2 Kd7) Kd7 ; a comment\n2. Qa7+ $1 *\n",
        "1.d4 d5 2.c4 dxc4 3.e3 b5 4.a4 c6 5.axb5 cxb5 6.Qf3 1/2-1/2\n\n[Event \"?\"]\n\n1. Nf3 0-1\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

fn check(input: &[u8]) -> Verdict {
    let mut verdict = Verdict::Refused;
    for read in Games::new(input) {
        // A broken reader stays broken.
        let Ok(read) = read else { break };
        let Ok(imported) = read else { continue };
        verdict = Verdict::Accepted;
        Game::replay(&imported.events).expect("an imported game is a game");
        if let Ok(packed) = archive::pack(&imported.events) {
            let Event::Started(started) = &imported.events[0] else { panic!("a game begins with its start") };
            assert_eq!(archive::unpack(started, &packed).as_ref(), Ok(&imported.events));
        }
        let written = export(&Headers::default(), &PgnGame::from_events(&imported.events));
        let again = Games::new(written.as_bytes()).next().expect("one game").expect("readable");
        let again = again.expect("what we write we can read");
        assert_eq!(moves(&again.events), moves(&imported.events), "{written}");
    }
    verdict
}

fn moves(events: &[Event]) -> Vec<String> {
    let uci = |event: &Event| match event {
        Event::MovePlayed(played) => Some(played.uci.to_string()),
        _ => None,
    };
    events.iter().filter_map(uci).collect()
}
