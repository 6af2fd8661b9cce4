-- Takes tokens out of a bucket that fills steadily.
--
-- KEYS[1] the bucket.  ARGV: tokens a second, tokens when full, tokens wanted.
-- Answers how many tokens were taken, at most those wanted, and, when none, after how many milliseconds one is there.
-- The server's own clock is used: the gateways' clocks differ.
local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local per_second, burst, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local stored = redis.call('HMGET', KEYS[1], 'tokens', 'at_ms')
local tokens = tonumber(stored[1]) or burst
local at_ms = tonumber(stored[2]) or now_ms
tokens = math.min(burst, tokens + math.max(0, now_ms - at_ms) / 1000 * per_second)

local taken = math.min(wanted, math.floor(tokens))
local wait_ms = 0
if taken < 1 then
  taken = 0
  wait_ms = math.ceil((1 - tokens) / per_second * 1000)
end

redis.call('HSET', KEYS[1], 'tokens', tostring(tokens - taken), 'at_ms', now_ms)
-- A bucket that is full again is the same as none.
redis.call('PEXPIRE', KEYS[1], math.ceil(burst / per_second * 1000) + 1000)
return { taken, wait_ms }
