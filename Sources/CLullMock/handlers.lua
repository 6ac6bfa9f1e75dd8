-- Calls the `mock` functions of an API file, all of which share one table, and the functions that give bodies.
-- An error in one of them is raised as it is.
local decode = require("lull").json.decode
local state = {}
local streams = {}                 -- by number: those whose bodies are being sent
local last = 0

-- The body of an answer that gives it as a function: its number, and the answer without it.
local function stream(given)
  last = last + 1
  local rest = {}
  for name, value in pairs(given) do rest[name] = value end
  rest.body = nil
  -- One that is no function stays, and is refused.
  if type(given.close) == "function" then rest.close = nil end
  streams[last] = { next = given.body, close = type(given.close) == "function" and given.close or nil }
  return rest, last
end

-- Asks a function for the answer to a request. A body that is not JSON has no `json`.
local function ask(answer, request, encoded)
  if request.body:find("^%s*[%[{\"%w-]") then request.json = decode(request.body) end
  for _, name in ipairs(encoded) do request.params[name] = decode(request.params[name]) end
  local given = answer(request, state)
  if type(given) == "table" and type(given.body) == "function" then return stream(given) end
  return given
end

-- The next piece of a body; nil at its end, with a reason where it is to break off.
local function next_piece(number)
  local piece, reason = streams[number].next()
  return piece, reason
end

-- A body has been sent, or its client has gone.
local function close(number)
  local ended = streams[number]
  streams[number] = nil
  if ended.close then ended.close() end
end

return ask, next_piece, close
