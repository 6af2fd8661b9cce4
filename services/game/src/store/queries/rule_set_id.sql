-- The number of a rule set, given to it the first time. The union is for the usual case, in which nothing is inserted.
with added as (
    insert into archived_rule_sets (record)
    select $1
    where not exists (select from archived_rule_sets where record = $1)
    on conflict (record) do nothing
    returning rule_set_id
)
select rule_set_id from added
union all
select rule_set_id from archived_rule_sets where record = $1
limit 1
