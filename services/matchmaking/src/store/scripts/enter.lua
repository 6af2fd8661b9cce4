-- Gives a player a ticket, or finds the one he has. ARGV: how (`join`, `follow`, `restore`), ticket, player, queue, state,
-- data, not before, exhausted, instance, time that this instance vouches for a reader, time the ticket outlives that.
local how, ticket_id, player, queue, state = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local key = ticket_key(player)
if how == 'restore' then
    local ended = redis.call('GET', ended_key(ticket_id))
    if ended then return {'ended', {ended}} end
    local left = redis.call('GET', left_key(player))
    if left then return {'ended', {left}} end
end
local answer = 'new'
local known = redis.call('HMGET', key, 'id', 'queue', 'state')
if known[1] then
    if known[2] ~= queue then return {'elsewhere', {known[2]}} end
    if known[3] == '' and state ~= '' then
        redis.call('HSET', key, 'state', state, 'claimed', now_ms())
    end
    answer = 'known'
elseif how == 'follow' then
    return {'none', {}}
else
    redis.call('HSET', key, 'id', ticket_id, 'queue', queue, 'state', state, 'data', ARGV[6], 'not_before', ARGV[7],
        'exhausted', ARGV[8], 'claimed', now_ms())
end
if how == 'join' then redis.call('DEL', left_key(player)) end
redis.call('HSET', key, 'w:' .. ARGV[9], now_ms() + tonumber(ARGV[10]))
redis.call('PEXPIRE', key, ARGV[11])
place(player, queue)
return {answer, redis.call('HMGET', key, 'id', 'state', 'data', 'not_before', 'exhausted')}
