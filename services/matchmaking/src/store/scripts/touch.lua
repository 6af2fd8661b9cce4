-- Says for many tickets that this instance still has readers of them, and answers how each stands. ARGV: instance, time that
-- it vouches for them, time a ticket outlives that, and for each ticket its id, player, queue and whether it has a reader.
local answers = {}
local now = now_ms()
for i = 4, #ARGV, 4 do
    local ticket_id, player, queue, has_reader = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
    local key = ticket_key(player)
    local known = redis.call('HMGET', key, 'id', 'state', 'claimed', 'not_before', 'exhausted')
    local answer
    if known[1] == ticket_id then
        if has_reader == '1' then
            redis.call('HSET', key, 'w:' .. ARGV[1], now + tonumber(ARGV[2]))
            redis.call('PEXPIRE', key, ARGV[3])
        else
            redis.call('HDEL', key, 'w:' .. ARGV[1])
        end
        place(player, queue)
        answer = {'here', {known[2], tostring(now - tonumber(known[3])), known[4], known[5]}}
    elseif known[1] then
        answer = {'replaced', {}}
    else
        local ended = redis.call('GET', ended_key(ticket_id))
        if ended then answer = {'ended', {ended}} else answer = {'lost', {}} end
    end
    answers[#answers + 1] = answer
end
return answers
