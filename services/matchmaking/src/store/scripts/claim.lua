-- Claims two tickets for one match, both or none. ARGV: queue, leader, match, waits kept, time they are kept, and for each
-- of the two its player, ticket and how long it waited; last the time of the lease. Whoever lost the lease claims nothing; who has
-- it keeps it, for a long queue takes longer to be seated than a lease lasts.
local queue, match = ARGV[1], ARGV[3]
if redis.call('GET', lease_key(queue)) ~= ARGV[2] then return {'deposed', {}} end
redis.call('PEXPIRE', lease_key(queue), ARGV[12])
if ARGV[6] == ARGV[9] then return {'changed', {}} end
local now = now_ms()
for i = 6, 9, 3 do
    local known = redis.call('HMGET', ticket_key(ARGV[i]), 'id', 'state')
    local followed_until = redis.call('ZSCORE', queue_key(queue), ARGV[i])
    if known[1] ~= ARGV[i + 1] or known[2] ~= '' or not followed_until or tonumber(followed_until) <= now then
        return {'changed', {}}
    end
end
for i = 6, 9, 3 do
    redis.call('HSET', ticket_key(ARGV[i]), 'state', match, 'claimed', now)
    redis.call('ZREM', queue_key(queue), ARGV[i])
    redis.call('LPUSH', waits_key(queue), now .. ':' .. ARGV[i + 2])
end
redis.call('LTRIM', waits_key(queue), 0, ARGV[4] - 1)
redis.call('PEXPIRE', waits_key(queue), ARGV[5])
return {'claimed', {}}
