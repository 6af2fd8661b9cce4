#!/usr/bin/env bash
# One role and one database a service: none can read another's. Runs once, when the data volume is empty.
set -euo pipefail

passwords=${STAKEMATE_ROLE_PASSWORDS:-/etc/postgres/secrets}

for service in gateway matchmaking game rating wallet fairplay; do
    # psql itself reads the password: as an argument it would stand in the list of processes.
    PASSWORD_FILE="$passwords/$service" psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --set service="$service" \
        --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
\set password `cat "$PASSWORD_FILE"`
create role :"service" login password :'password';
create database :"service" owner :"service";
revoke all on database :"service" from public;
SQL
done

# What is left for everyone in the maintenance database is nothing.
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres \
    --command 'revoke all on database postgres, template1 from public'
