-- lull.progress where nobody sees it: what it counts, and what it refuses.
local lull = require "lull"
local spec = ...
local describe, it, equal, contains = spec.describe, spec.it, spec.equal, spec.contains

describe("lull.progress", function()
  it("PROG-01 counts where there is no terminal", function()
    local progress = lull.progress(10, "reading")
    equal(progress.count, 0)
    equal(progress.total, 10)
    equal(progress.label, "reading")
    equal(progress:advance().count, 1)
    equal(progress:advance(2.5).count, 3.5)
    equal(progress:set(7).count, 7)
    equal(tostring(progress), "Progress(7 of 10)")
    progress.label = "writing"
    equal(progress.label, "writing")
    progress:finish()
  end)

  it("PROG-02 needs no total, or one of 0", function()
    local progress = lull.progress()
    equal(progress.total, nil)
    equal(progress.label, "")
    equal(tostring(progress:advance(3)), "Progress(3)")
    equal(lull.progress(nil, "rows").label, "rows")
    equal(lull.progress(0):advance().count, 1)
  end)

  it("PROG-06 refuses what is no number", function()
    for _, bad in ipairs { -1, 0 / 0, math.huge, -math.huge } do
      local ok, message = pcall(lull.progress, bad)
      equal(ok, false)
      contains(message, "bad argument #1 to 'progress' (a number from 0 up expected, got ")
    end
    local ok, message = pcall(lull.progress, "x")
    equal(ok, false)
    contains(message, "bad argument #1 to 'progress' (number expected, got string)")
    ok, message = pcall(lull.progress, 1, {})
    equal(ok, false)
    contains(message, "bad argument #2 to 'progress' (string expected, got table)")
    local progress = lull.progress(1)
    for _, name in ipairs { "advance", "set" } do
      ok, message = pcall(progress[name], progress, 0 / 0)
      equal(ok, false)
      contains(message, "bad argument #1 to '" .. name .. "' (a finite number expected, got ")
    end
    ok, message = pcall(lull.progress, 1, "caf\xe9")
    equal(ok, false)
    contains(message, "bad argument #2 to 'progress' (not valid UTF-8: 'caf")
    ok, message = pcall(function() progress.label = 7 end)
    equal(ok, false)
    contains(message, "'label' must be a string, got ")
  end)

  it("PROG-06 never has less than nothing, and does not change once it is finished", function()
    local progress = lull.progress(5)
    equal(progress:advance(-3).count, 0)
    equal(progress:set(1e300).count, 9000000000000000)
    progress:set(2):finish()
    progress:finish()
    equal(progress:advance():set(4).count, 2)
  end)

  it("PROG-05 is finished by the end of its block", function()
    local kept
    do
      local progress <close> = lull.progress(1)
      kept = progress:advance()
    end
    equal(kept:advance().count, 1)
  end)
end)

describe("lull.map with progress", function()
  it("PROG-07 gives what it gives without", function()
    for _, progress in ipairs { true, false, "squares" } do
      local squares = lull.map({ 1, 2, 3 }, function(n) return n * n end, { progress = progress })
      equal(table.concat(squares, " "), "1 4 9")
    end
    local ok, message = pcall(lull.map, {}, print, { progress = 7 })
    equal(ok, false)
    contains(message, "'progress' must be true, false or a label, got ")
    ok, message = pcall(lull.map, {}, print, { progress = "\xe9" })
    equal(ok, false)
    contains(message, "not valid UTF-8")
  end)
end)
