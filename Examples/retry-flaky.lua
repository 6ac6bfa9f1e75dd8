-- A server that fails now and then, and one that wants to be left in peace: retries and limits as
-- configuration, errors as values.
local lull = require "lull"

local api = lull.service{
  base_url = lull.demo(),
  retry = { times = 4, backoff = { base = 0.05 } },
  concurrency = 2,
}

-- Two answers are 503; the third one is what the script sees.
local flaky = api("/flaky"):with_params{ fail = 2, retry_after = 0, key = "example" }
local request = flaky:load()
print("succeeded after", assert(request:await()).content.attempts, "calls")
for _, attempt in ipairs(request.attempts) do print("attempt", attempt.number, attempt.status) end

-- When it does not get better, the error says how often it was tried.
api:configure("/status/*", { retry = { times = 1, on = 503, backoff = { base = 0.01 } } })
local _, err = api("/status/503"):load():await()
print("gave up", err.http_status, #err.attempts, tostring(err):match("after .* attempts"))

-- POST might be done twice: it is not sent again unless `unsafe = true`.
local _, refused = api("/status/503"):post():await()
print("POST", refused.http_status, #refused.attempts)

-- Slow servers are cut off; a time-out holds for each attempt.
api:configure("/slow", { timeout = 0.2, retry = false })
local _, late = api("/slow"):load():await()
print("slow", late.cause.kind)

-- Ten requests, but not more than five in any half second: the others wait for their turn.
local times = {}
api:configure("/users/*", { rate_limit = { requests = 5, per = 0.5 } })
lull.map({ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, function(id)
  local user = api("/users/" .. id):load()
  assert(user:await())
  times[#times + 1] = user.attempts[1].started
end, { concurrency = 10 })
table.sort(times)
print("ten users", times[10] - times[1] >= 0.49 and "took their time" or "were in a hurry")
