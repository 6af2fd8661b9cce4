-- Gives up the lease on a queue. ARGV: queue, instance.
if redis.call('GET', lease_key(ARGV[1])) == ARGV[2] then redis.call('DEL', lease_key(ARGV[1])) end
return {'resigned', {}}
