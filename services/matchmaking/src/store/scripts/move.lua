-- Takes a ticket from one state to another, if it is in the first. ARGV: player, queue, from, to, and how it is to search if it
-- is: not before, exhausted (both empty for as they are).
local player, queue = ARGV[1], ARGV[2]
local key = ticket_key(player)
if redis.call('HGET', key, 'state') ~= ARGV[3] then return {'elsewhere', {}} end
redis.call('HSET', key, 'state', ARGV[4], 'claimed', now_ms())
if ARGV[5] ~= '' then redis.call('HSET', key, 'not_before', ARGV[5]) end
if ARGV[6] ~= '' then redis.call('HSET', key, 'exhausted', ARGV[6]) end
place(player, queue)
return {'moved', {}}
