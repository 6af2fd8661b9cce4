//! The service as a process of its own, killed without a warning.

use std::{
    net::{SocketAddr, TcpListener},
    process::{Child, Command, Stdio},
    time::{Duration, SystemTime},
};

use service_kit::auth::{Role, Roles, Subject};
use uuid::Uuid;

use crate::{
    harness::{Caller, Matchmaking, PATIENCE, Player, Table, keys, proposal},
    lines,
};

struct Process(Child);

impl Process {
    fn start(variables: &[(&str, String)]) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stakemate-game"));
        command.env_clear().envs(variables.iter().map(|(name, value)| (*name, value)));
        Process(command.stdout(Stdio::null()).spawn().expect("the service starts"))
    }

    /// SIGKILL.
    fn kill(&mut self) {
        self.0.kill().expect("killed");
        self.0.wait().expect("gone");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Already gone after `kill`.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address")
}

// B04, with a real kill -9 and the real clock.
#[tokio::test]
async fn kill_9_after_an_acknowledgement_loses_no_move() {
    let server = test_kit::postgres().await;
    let database = server.database("kill_9").await;
    let nats = test_kit::own_nats().await;
    let matchmaking = Matchmaking::start(&server.database("kill_9_matchmaking").await, &nats.url()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (signer, key_file) = keys(&folder);
    let address = free_address();
    let variables = [
        ("STAKEMATE_ENVIRONMENT", "development".to_owned()),
        ("STAKEMATE_GRPC_ADDRESS", address.to_string()),
        ("STAKEMATE_ADMIN_ADDRESS", "127.0.0.1:0".to_owned()),
        ("STAKEMATE_DATABASE_URL", database.url.clone()),
        ("STAKEMATE_NATS_URL", nats.url()),
        ("STAKEMATE_TOKEN_PUBLIC_KEY_FILE", key_file.display().to_string()),
    ];
    let player = |name: &str| {
        let player_id = Uuid::new_v4();
        let subject = Subject { player_id, name, roles: Roles::of(&[Role::Player]) };
        let token = signer.sign(&subject, SystemTime::now(), Duration::from_secs(600)).expect("signed").text;
        Player { player_id, name: name.to_owned(), token }
    };
    let table = Table {
        game_id: Uuid::now_v7(),
        match_id: Uuid::now_v7(),
        white: player("Ada"),
        black: player("Ben"),
    };
    let mut process = Process::start(&variables);
    matchmaking.confirm(&proposal(&table)).await;
    let moves: Vec<&str> = lines::L7_100.split_whitespace().take(56).collect();
    let mut acknowledged = Vec::new();
    for (uci, plies_seen) in moves.iter().zip(0..) {
        let mover = if plies_seen % 2 == 0 { &table.white } else { &table.black };
        let request_id = Uuid::new_v4();
        // The service may still be starting, or starting again: the same request is sent until it is answered.
        let played = test_kit::eventually(PATIENCE, || async {
            let caller = Caller::connect(address);
            caller.play_as(mover, request_id, table.game_id, uci, plies_seen).await.ok()
        })
        .await;
        acknowledged.push(played.r#move.expect("a move"));
        if [11, 30, 55].contains(&plies_seen) {
            process.kill();
            process = Process::start(&variables);
        }
    }
    let game = test_kit::eventually(PATIENCE, || async {
        Caller::connect(address).try_game(table.game_id).await.ok()?.game
    })
    .await;
    assert_eq!(game.moves, acknowledged);
    assert_eq!(game.status(), proto::game::v1::GameStatus::Live);
}
