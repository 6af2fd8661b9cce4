-- Follows a city's log. The version never goes back.
insert into cities (
    city_id, version, name, stake_minor_units, currency, fee_basis_points,
    base_ms, increment_ms, opens_minute, closes_minute, is_enabled, time_scale
) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
on conflict (city_id) do update
set version = excluded.version,
    name = excluded.name,
    stake_minor_units = excluded.stake_minor_units,
    currency = excluded.currency,
    fee_basis_points = excluded.fee_basis_points,
    base_ms = excluded.base_ms,
    increment_ms = excluded.increment_ms,
    opens_minute = excluded.opens_minute,
    closes_minute = excluded.closes_minute,
    is_enabled = excluded.is_enabled
where cities.version < excluded.version
