//! The gateway as a process: `stakemate-gateway [migrate | grant-role NAME ROLE REASON | revoke-role NAME ROLE REASON]`.

use std::process::ExitCode;

use event_store::CommitSignal;
use gateway::app::account::Name;
use gateway::{Config, MIGRATOR, PostgresAccounts, RoleChange, SERVICE, change_roles};
use service_kit::auth::Role;

/// Who changes roles by this program; the reason says more.
const CHANGED_BY: &str = "stakemate-gateway";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["grant-role", name, role, reason] => change(name, RoleChange::Grant, role, reason),
        ["revoke-role", name, role, reason] => change(name, RoleChange::Revoke, role, reason),
        _ => service_kit::main(service_kit::Program { service: SERVICE, migrator: &MIGRATOR }, gateway::run),
    }
}

/// Changes what an account may do and says what came of it.
fn change(name: &str, how: fn(Role) -> RoleChange, role: &str, reason: &str) -> ExitCode {
    match try_change(name, how, role, reason) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn try_change(name: &str, how: fn(Role) -> RoleChange, role: &str, reason: &str) -> anyhow::Result<String> {
    let name = Name::parse(name)?;
    let role = Role::from_name(role).ok_or_else(|| anyhow::anyhow!("{role} is no role"))?;
    let config: Config = service_kit::config::load(SERVICE)?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let pool = service_kit::database::open(&config.common, SERVICE, &MIGRATOR).await?;
        let accounts = PostgresAccounts::new(pool.clone(), CommitSignal::new());
        let account = change_roles(&accounts, &name, how(role), CHANGED_BY, reason).await?;
        pool.close().await;
        Ok(format!("{} is now {}", account.name, account.roles.names().join(", ")))
    })
}
