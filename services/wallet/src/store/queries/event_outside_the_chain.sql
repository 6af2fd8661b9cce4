-- An event that is neither sealed nor noted to be, or one that is noted and gone.
(select e.stream_id, e.version
 from events e
 where not exists (select from seals s where s.stream_id = e.stream_id and s.version = e.version)
   and not exists (select from unsealed u where u.stream_id = e.stream_id and u.version = e.version)
 limit 1)
union all
(select u.stream_id, u.version
 from unsealed u
 where not exists (select from events e where e.stream_id = u.stream_id and e.version = u.version)
 limit 1)
limit 1
