-- Takes or renews the lease on a queue in which at least two wait. ARGV: queue, instance, time of the lease, time a ticket
-- outlives its last reader. Answers `leading`, `following` or `idle`, and the players who are followed, longest vouched for last.
local queue = ARGV[1]
local now = now_ms()
redis.call('ZREMRANGEBYSCORE', queue_key(queue), '-inf', now - tonumber(ARGV[4]))
if redis.call('ZCOUNT', queue_key(queue), '(' .. now, '+inf') < 2 then return {'idle', {}} end
local leader = redis.call('GET', lease_key(queue))
if leader and leader ~= ARGV[2] then return {'following', {}} end
redis.call('SET', lease_key(queue), ARGV[2], 'PX', ARGV[3])
return {'leading', redis.call('ZRANGEBYSCORE', queue_key(queue), '(' .. now, '+inf')}
