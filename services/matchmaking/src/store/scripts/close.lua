-- Ends a player's ticket, if it is in the given state. ARGV: player, state, how it ends, time that is remembered, and whether a
-- ticket that is not known here is to stay away as well (`1`).
local player = ARGV[1]
local key = ticket_key(player)
local known = redis.call('HMGET', key, 'id', 'state', 'queue')
if not known[1] then
    if ARGV[5] == '1' then redis.call('SET', left_key(player), ARGV[3], 'PX', ARGV[4]) end
    return {'none', {}}
end
if known[2] ~= ARGV[2] then return {'elsewhere', {known[2]}} end
redis.call('DEL', key)
redis.call('ZREM', queue_key(known[3]), player)
redis.call('SET', ended_key(known[1]), ARGV[3], 'PX', ARGV[4])
return {'closed', {}}
