//! The six services and what each is told.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use service_kit::auth::KeyFiles;

use super::layout::Layout;
use super::state::ServiceState;
use super::{StartError, players, ports};

/// Answers people; started last and stopped first.
pub const GATEWAY: &str = "gateway";
/// The services behind the gateway, in the order they are started.
pub const UPSTREAMS: [&str; 5] = ["wallet", "rating", "fairplay", "matchmaking", "game"];

/// On one machine everybody has one address: limits that stop a stranger on the internet would stop a test or a class here.
/// A variable of the launcher's own environment overrules them.
const DEVELOPMENT_LIMITS: [(&str, &str); 4] = [
    ("RATE_SIGN_INS_PER_MINUTE", "600"),
    ("RATE_SIGN_INS_BURST", "200"),
    ("RATE_CALLS_PER_SECOND", "2000"),
    ("RATE_CALLS_BURST", "4000"),
];

/// The service of which there may be several instances.
pub const GAME: &str = "game";

/// How many instances there are of the services that may have several.
#[derive(Debug, Clone, Copy)]
pub struct Counts {
    /// Of the game service.
    pub game: u8,
}

impl Counts {
    fn of(self, service: &str) -> u8 {
        if service == GAME { self.game.max(1) } else { 1 }
    }
}

/// One instance of a service: its program, its addresses and its database.
#[derive(Debug, Clone)]
pub struct ServicePlan {
    /// For example `wallet`.
    pub service: &'static str,
    /// The same, with a number from the second instance on: `game-2`.
    pub name: String,
    /// The program beside our own.
    pub program: PathBuf,
    /// Where it serves gRPC.
    pub grpc: SocketAddr,
    /// Where it serves metrics.
    pub admin: SocketAddr,
    /// Its database.
    pub database_url: String,
    /// Where it writes its log.
    pub log: PathBuf,
}

/// What all services share.
#[derive(Debug, Clone)]
pub struct Shared {
    /// The broker.
    pub nats_url: String,
    /// The cache.
    pub redis_url: String,
    /// Where the gateway serves clients.
    pub edge: SocketAddr,
    /// The token keys.
    pub keys: KeyFiles,
    /// The engine, if there is one.
    pub stockfish: Option<PathBuf>,
}

/// The name of a service's database.
#[must_use]
pub fn database_name(service: &str) -> String {
    format!("stakemate_{service}")
}

/// All services in the order they are started.
pub fn plan(
    layout: &Layout,
    programs: &Path,
    counts: Counts,
    database_url: impl Fn(&str) -> String,
) -> Result<Vec<ServicePlan>, StartError> {
    let services = UPSTREAMS.into_iter().chain([GATEWAY]);
    services
        .flat_map(|service| (1..=counts.of(service)).map(move |number| (service, number)))
        .map(|(service, number)| {
            let program = programs.join(format!("stakemate-{service}"));
            if !program.is_file() {
                return Err(StartError::MissingProgram { program });
            }
            let name = if number == 1 { service.to_owned() } else { format!("{service}-{number}") };
            Ok(ServicePlan {
                service,
                program,
                grpc: ports::free_address()?,
                admin: ports::free_address()?,
                database_url: database_url(&database_name(service)),
                log: layout.log(&name),
                name,
            })
        })
        .collect()
}

impl ServicePlan {
    /// How other commands find it.
    #[must_use]
    pub fn state(&self) -> ServiceState {
        ServiceState {
            grpc_url: format!("http://{}", self.grpc),
            admin_url: format!("http://{}", self.admin),
            database_url: self.database_url.clone(),
        }
    }
}

/// The environment of one service; `all` tells the gateway where the others are.
#[must_use]
pub fn environment(service: &ServicePlan, all: &[ServicePlan], shared: &Shared) -> Vec<(String, String)> {
    let path = |path: &Path| path.display().to_string();
    let mut environment = vec![
        ("ENVIRONMENT".to_owned(), "development".to_owned()),
        ("GRPC_ADDRESS".to_owned(), service.grpc.to_string()),
        ("ADMIN_ADDRESS".to_owned(), service.admin.to_string()),
        ("DATABASE_URL".to_owned(), service.database_url.clone()),
        ("NATS_URL".to_owned(), shared.nats_url.clone()),
        ("REDIS_URL".to_owned(), shared.redis_url.clone()),
        ("TOKEN_PUBLIC_KEY_FILE".to_owned(), path(&shared.keys.public)),
    ];
    if service.service == GATEWAY {
        environment.push(("EDGE_ADDRESS".to_owned(), shared.edge.to_string()));
        environment.push(("FIRST_ROLES".to_owned(), players::first_roles()));
        let own = |name: &str| std::env::var_os(format!("STAKEMATE_{name}")).is_some();
        let limits = DEVELOPMENT_LIMITS.into_iter().filter(|(name, _)| !own(name));
        environment.extend(limits.map(|(name, value)| (name.to_owned(), value.to_owned())));
        environment.push(("TOKEN_PRIVATE_KEY_FILE".to_owned(), path(&shared.keys.private)));
        environment.extend(UPSTREAMS.into_iter().filter_map(|service| {
            let instances = all.iter().filter(|other| other.service == service);
            let urls: Vec<String> = instances.map(|other| format!("http://{}", other.grpc)).collect();
            let name = format!("UPSTREAM_{}", service.to_ascii_uppercase());
            (!urls.is_empty()).then(|| (name, urls.join(",")))
        }));
    }
    if let ("fairplay", Some(stockfish)) = (service.service, &shared.stockfish) {
        environment.push(("STOCKFISH".to_owned(), path(stockfish)));
    }
    environment.into_iter().map(|(name, value)| (format!("STAKEMATE_{name}"), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(name: &'static str, port: u16) -> ServicePlan {
        ServicePlan {
            service: name,
            name: name.to_owned(),
            program: PathBuf::from("/bin/true"),
            grpc: SocketAddr::from(([127, 0, 0, 1], port)),
            admin: SocketAddr::from(([127, 0, 0, 1], port + 1)),
            database_url: format!("postgres:///{}", database_name(name)),
            log: PathBuf::from("/log"),
        }
    }

    fn shared() -> Shared {
        Shared {
            nats_url: "nats://127.0.0.1:1".to_owned(),
            redis_url: "redis+unix:///redis".to_owned(),
            edge: SocketAddr::from(([127, 0, 0, 1], 8080)),
            keys: KeyFiles { private: PathBuf::from("/keys/private"), public: PathBuf::from("/keys/public") },
            stockfish: None,
        }
    }

    fn value<'a>(environment: &'a [(String, String)], name: &str) -> Option<&'a str> {
        let entry = environment.iter().find(|(key, _)| key == name);
        entry.map(|(_, value)| value.as_str())
    }

    #[test]
    fn only_the_gateway_gets_the_private_key_and_the_others_addresses() {
        let all = [planned("wallet", 100), planned("gateway", 200)];
        let wallet = environment(&all[0], &all, &shared());
        assert_eq!(value(&wallet, "STAKEMATE_TOKEN_PRIVATE_KEY_FILE"), None);
        assert_eq!(value(&wallet, "STAKEMATE_UPSTREAM_WALLET"), None);
        assert_eq!(value(&wallet, "STAKEMATE_GRPC_ADDRESS"), Some("127.0.0.1:100"));
        let gateway = environment(&all[1], &all, &shared());
        assert_eq!(value(&gateway, "STAKEMATE_TOKEN_PRIVATE_KEY_FILE"), Some("/keys/private"));
        assert_eq!(value(&gateway, "STAKEMATE_UPSTREAM_WALLET"), Some("http://127.0.0.1:100"));
        assert_eq!(value(&gateway, "STAKEMATE_UPSTREAM_GATEWAY"), None);
        assert_eq!(value(&gateway, "STAKEMATE_EDGE_ADDRESS"), Some("127.0.0.1:8080"));
    }

    #[test]
    fn the_gateway_is_told_of_all_instances() {
        let all = [planned("game", 100), planned("game", 110), planned("gateway", 200)];
        let gateway = environment(&all[2], &all, &shared());
        let urls = "http://127.0.0.1:100,http://127.0.0.1:110";
        assert_eq!(value(&gateway, "STAKEMATE_UPSTREAM_GAME"), Some(urls));
    }

    #[test]
    fn instances_share_a_database_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        for service in UPSTREAMS.into_iter().chain([GATEWAY]) {
            std::fs::write(folder.path().join(format!("stakemate-{service}")), "").expect("a file");
        }
        let layout = Layout::new(folder.path()).expect("an absolute path");
        let plans = plan(&layout, folder.path(), Counts { game: 3 }, str::to_owned).expect("all planned");
        let games: Vec<_> = plans.iter().filter(|plan| plan.service == GAME).collect();
        let names: Vec<_> = games.iter().map(|plan| plan.name.as_str()).collect();
        assert_eq!(names, ["game", "game-2", "game-3"]);
        assert!(games.iter().all(|plan| plan.database_url == "stakemate_game"));
        assert!(games[0].log != games[1].log && games[0].grpc != games[1].grpc);
        assert_eq!(plans.len(), UPSTREAMS.len() + 3);
    }

    #[test]
    fn without_an_engine_fairplay_is_told_of_none() {
        let all = [planned("fairplay", 100)];
        assert_eq!(value(&environment(&all[0], &all, &shared()), "STAKEMATE_STOCKFISH"), None);
        let with_engine = Shared { stockfish: Some(PathBuf::from("/usr/games/stockfish")), ..shared() };
        assert_eq!(
            value(&environment(&all[0], &all, &with_engine), "STAKEMATE_STOCKFISH"),
            Some("/usr/games/stockfish")
        );
    }
}
