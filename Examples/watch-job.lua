-- Begins a job and watches it until it is done: each change is one turn of a loop.
local lull = require "lull"
local api = lull.service(lull.demo())

local begun = assert(api("/jobs"):post{ json = { name = "a long report", milliseconds = 40 } }:await())
local job = api:resource(begun:header("location"))
print("begun", job, begun.content.state)

-- Polls from the last answer on, yields changes only, and ends after the one that until_ accepts. If that takes
-- more than `timeout` seconds it raises; a `break` would leave nothing behind either.
for state in job:watch{
  every = 0.02, timeout = 30, until_ = function(state) return state.state == "done" end,
} do
  print(state.state, state.progress .. " %")
end

-- Everybody shares the same loads: these two watch one job, and the server is asked no more often for that.
local second = assert(api("/jobs"):post{ json = { milliseconds = 20 } }:await())
local shared = api:resource(second:header("location"))
local function finish()
  local last
  for state in shared:watch{ every = 0.02, until_ = function(state) return state.state == "done" end } do
    last = state
  end
  return last.result
end
local results = assert(lull.all{ lull.spawn(finish), lull.spawn(finish) })
print("both saw", results[1], results[2])
