-- Has a file see the variables of its environment as `lull.env` and `lull.secret`.

local chunk, own = ...
local require = require
local lull = require "lull"
local seen = setmetatable(
  { env = own.env, secret = own.secret }, { __index = lull, __newindex = lull })
local globals = { lull = _G.lull and seen }
function globals.require(name)
  if name == "lull" then return seen end
  return require(name)
end
debug.setupvalue(chunk, 1, setmetatable(globals, { __index = _G, __newindex = _G }))
