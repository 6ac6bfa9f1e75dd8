-- Compares different readers on random JSON texts; see fuzz-documents, which runs it.
--
--   lull run documents.lua FOLDER COUNT SEED
local lull = require "lull"
local cjson = require "cjson"

local folder, count, seed = ...
count, seed = math.tointeger(tonumber(count)), math.tointeger(tonumber(seed))
local compare = dofile(folder .. "/comparison.lua")(lull, folder, cjson)
local make = dofile(folder .. "/texts.lua")

local outcomes, bytes, failed = {}, 0, 0
for index = 1, count do
  local text = make(seed, index)
  bytes = bytes + #text
  local ok, outcome = pcall(compare, text)
  if ok then
    outcomes[outcome] = (outcomes[outcome] or 0) + 1
  else
    failed = failed + 1
    io.stderr:write(("text %d of seed %d: %s\n%s\n"):format(
      index, seed, outcome, #text < 500 and ("%q"):format(text) or #text .. " bytes"))
    if failed == 10 then break end
  end
end

-- A rule that was never violated has not been tested.
for _, outcome in ipairs {
  "accepted", "transcoded", "grammar", "UTF-8", "surrogate", "control", "range", "depth", "encoding",
} do
  print(("%8d %s"):format(outcomes[outcome] or 0, outcome))
  if count >= 10000 and not outcomes[outcome] then
    failed = failed + 1
    io.stderr:write("no text was ", outcome, "\n")
  end
end
print(("%8d texts, %d bytes, seed %d: %d failed"):format(count, bytes, seed, failed))
os.exit(failed == 0 and 0 or 1)
