-- Stands before every script. KEYS[1] is the prefix of all keys; the scripts build the others from it, so the server must
-- be a single one and no cluster. Times are the server's own, so that no two instances' clocks are compared.
local prefix = KEYS[1]

local function ticket_key(player) return prefix .. 'ticket:' .. player end
local function queue_key(queue) return prefix .. 'queue:' .. queue end
local function lease_key(queue) return prefix .. 'lease:' .. queue end
local function waits_key(queue) return prefix .. 'waits:' .. queue end
-- How a ticket ended. Without it, a ticket that was closed and one that was lost would look the same.
local function ended_key(ticket_id) return prefix .. 'ended:' .. ticket_id end
-- That a player has left, for tickets that this server does not know yet: they were lost and are about to be put back.
local function left_key(player) return prefix .. 'left:' .. player end

local function now_ms()
    local time = redis.call('TIME')
    return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Puts a searching ticket into its queue with the time until which somebody follows it, and any other out of it.
local function place(player, queue)
    local fields = redis.call('HGETALL', ticket_key(player))
    local state, followed_until = '', 0
    for i = 1, #fields, 2 do
        if fields[i] == 'state' then
            state = fields[i + 1]
        elseif string.sub(fields[i], 1, 2) == 'w:' then
            followed_until = math.max(followed_until, tonumber(fields[i + 1]))
        end
    end
    if state == '' then
        redis.call('ZADD', queue_key(queue), followed_until, player)
    else
        redis.call('ZREM', queue_key(queue), player)
    end
end
