-- What is sealed need not wait any longer.
delete from unsealed u
using unnest($1::uuid[], $2::bigint[]) as sealed (stream_id, version)
where u.stream_id = sealed.stream_id
  and u.version = sealed.version
