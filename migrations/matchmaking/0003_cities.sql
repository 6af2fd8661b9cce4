-- The cities as their streams in `events` have them: one row each, kept in step in the same transaction.
create table cities (
    city_id           text primary key,
    -- Version of the city's stream: the etag that an operator has to name.
    version           bigint not null,
    name              text not null,
    stake_minor_units bigint not null check (stake_minor_units > 0),
    currency          text not null,
    fee_basis_points  integer not null check (fee_basis_points between 0 and 10000),
    -- The clocks, each at the same place in both arrays.
    base_ms           bigint[] not null,
    increment_ms      bigint[] not null check (cardinality(base_ms) = cardinality(increment_ms)),
    -- Both null for a city that is open at any hour.
    opens_minute      integer check (opens_minute between 0 and 1439),
    closes_minute     integer check (closes_minute between 0 and 1439),
    is_enabled        boolean not null,
    time_scale        integer not null check (time_scale >= 1),
    check ((opens_minute is null) = (closes_minute is null))
);
