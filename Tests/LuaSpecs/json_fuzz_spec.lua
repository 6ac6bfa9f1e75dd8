-- JSON texts made at random, read as content, as document and by lull.json.decode, and compared with a
-- strict reader and lua-cjson. Scripts/support/fuzz-documents does it with many more.
local lull = require "lull"
local spec = ...
local describe, it = spec.describe, spec.it

local folder = spec.folder .. "/json"
local make = dofile(folder .. "/texts.lua")

-- As many texts as can be compared in passing.
local count = spec.slowness > 1 and 200 or 2000

describe("random JSON", function()
  it("JSN-11 JSN-12 JSN-13 JSN-14 JSN-15 JSN-16 JSN-17 is read as the strict reader and lua-cjson do", function()
    local compare = dofile(folder .. "/comparison.lua")(lull, folder, require "cjson")
    local outcomes = {}
    for index = 1, count do
      local text = make(5, index)
      local ok, outcome = pcall(compare, text)
      if not ok then spec.fail(("text %d, %q: %s"):format(index, text:sub(1, 200), outcome)) end
      outcomes[outcome] = true
    end
    -- Fewer need not come across everything.
    for _, outcome in ipairs(count < 2000 and { "accepted" } or {
      "accepted", "transcoded", "grammar", "UTF-8", "surrogate", "control", "depth", "encoding",
    }) do
      spec.check(outcomes[outcome], "no text was " .. outcome)
    end
  end, { seconds = 60 })
end)
