-- Which of these games have a stream.
select stream_id
from events
where stream_id = any ($1::uuid[])
  and version = 1
