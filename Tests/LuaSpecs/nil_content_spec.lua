-- What reports say of content that is nil (NIL-01 to NIL-05). Each case is the body of a task, so that a stock
-- interpreter, which reports errors of the main chunk itself, runs the same.
local lull = require "lull"
local spec = ...
local describe, it, equal, contains = spec.describe, spec.it, spec.equal, spec.contains
local excludes = spec.excludes

-- What is reported of a task with this code, in which `api` is a service, `missing` a resource that was answered
-- with 404, and `unasked` one that was not loaded; and what the script printed.
local function reported(code)
  local result = spec.script(([[
    local lull = require "lull"
    local api = lull.service(%q)
    local missing, unasked, there = api("/users/0"), api("/users/1"), api("/users/7")
    lull.spawn(function()
      missing:load():await() there:load():await()
      %s
    end)
    lull.run()
  ]]):format(lull.demo(), code))
  return result.err, result.out
end

local MISSING = "  content: GET " .. lull.demo()
  .. "/users/0 returned 404 Not found; the resource has no content\n"
local UNASKED = "  content: " .. lull.demo() .. "/users/1 has no content yet: load it first, and await the load\n"

local function says(sentence, code)
  local text = reported(code)
  contains(text, "nil value", code)
  contains(text, sentence, code)
end

-- Cases where an error of a nil is reported, and nothing more.
local function says_nothing(code)
  local text = reported(code)
  contains(text, "nil value", code)
  excludes(text, "content: ", code)
end

describe("the report of a nil content", function()
  it("NIL-01 names the resource and the status, however the content is used", function()
    says(MISSING, "print(missing.content.name)")
    says(MISSING, "print(missing.content[1].x)")
    says(MISSING, "print(missing.content:upper())")
    says(MISSING, "print(#missing.content)")
  end, { seconds = 20 })

  it("NIL-01 NIL-03 finds it by calls and tables", function()
    says(MISSING, 'print(api("/users/0").content.name)')
    says(MISSING, 'print(api:resource("/users"):child("0").content.name)')
    says(MISSING, "local of = { user = missing } print(of.user.content.name)")
    says(MISSING, "local all = { missing } print(all[1].content.name)")
    says(MISSING, "all = missing print(all.content.name)")
  end, { seconds = 20 })

  it("NIL-01 NIL-03 finds it by a local variable", function()
    says(MISSING, "local c = missing.content; print(c.name)")
    says(MISSING, "local c = missing.content\nif c then return end\nlull.sleep(0)\nprint(c.name)")
    says(MISSING, 'local c <const> = api("/users/" .. 0).content\nprint(c.name)')
    says(MISSING, "local c = missing.content\nif not c then print(1, c) print(c.name) end")
  end, { seconds = 20 })

  it("NIL-01 NIL-03 finds it in a loop through a list", function()
    local text = reported("for _, user in ipairs(missing.content) do print(user) end")
    contains(text, MISSING)
    text = reported("for _, user in pairs(missing.content) do print(user) end")
    contains(text, MISSING)
  end, { seconds = 20 })

  it("NIL-01 NIL-03 finds it by the variables of a session", function()
    if spec.is_stock then return end
    local text = spec.shell(([[printf '%%s\n' 'local r = lull.service("%s")("/users/0")' 'r:load():await()' \
      'print(r.content.name)' 'q = r' 'print(q.content.name)' 'q, r = {}, {}' 'print(r.content.name)' | %s repl]])
      :format(lull.demo(), spec.interpreter()))
    equal(select(2, text:gsub(MISSING:gsub("%p", "%%%0"), "")), 2)
    equal(select(2, text:gsub("nil value", "")), 3)
  end)

  it("NIL-01 says what a request without an answer failed with, of its error too", function()
    local start = 'local lost = lull.service("http://127.0.0.1:1")("/x") local _, err = lost:load():await()\n'
    local failed = "  content: GET http://127.0.0.1:1/x failed: cannot connect to 127.0.0.1:1 "
      .. "(connection refused); the "
    says(failed .. "resource has no content\n", start .. "print(lost.content.name, err)")
    says(failed .. "error has no content\n", start .. "print(err.content.name)")
  end, { seconds = 20 })

  it("NIL-02 says that nothing is loaded, or not yet", function()
    says(UNASKED, "print(unasked.content.name)")
    says("/users/7 has no content yet: load it first, and await the load", "there:wipe() print(there.content.name)")
    says("/users/1 is still loading: await the load first", "unasked:load() print(unasked.content.name)")
  end, { seconds = 20 })

  it("NIL-02 says what was so when the content was read", function()
    says(UNASKED, "local c = unasked.content\nunasked:load():await()\nprint(c.name)")
  end)

  it("NIL-01 tells coroutines and callbacks apart that have read at the same line", function()
    says("/users/00 returned 404", [[
      local function name(id)
        local resource = api("/users/" .. id)
        resource:load():await()
        local c = resource.content
        lull.sleep(id == "00" and 0.05 or 0)
        if id == "00" then print(c.name) end
      end
      lull.all{ lull.spawn(name, "00"), lull.spawn(name, "01"), lull.spawn(name, "02") }
    ]])
    says("/users/0 returned", [[
      local function name(resource, depth)
        local c = resource.content
        if depth > 0 then name(unasked, depth - 1) else return end
        print(c.name)
      end
      name(missing, 1)
    ]])
  end, { seconds = 20 })
end)

describe("the report of another nil", function()
  it("NIL-03 says nothing more, though a content was nil beside it", function()
    for _, code in ipairs {
      "local c = missing.content local other = nil print(other.name, c)",
      "local t = {} print(missing.content, t.content.name)",
      "print(missing.content, there.content.address.street.x)",
      "local t = { content = nil } if not missing.content then print(t.content.name) end",
      "local c = missing.content\nc = nil\nprint(c.name)",
      "local c = missing.content\nlocal d d, c = 1\nprint(c.name, d)",
      "local c = missing.content\ndo local c print(c.name) end",
      "do local c = missing.content if c then return end end\nlocal c\nprint(c.name)",
      "local c = missing.content\nfor _, c in ipairs{ {} } do c = c.x print(c.name) end return c",
      "local c = missing.content and nil\nprint(c.name)",
    } do says_nothing(code) end
  end, { seconds = 20 })

  it("NIL-03 says nothing of what may have been another object", function()
    for _, code in ipairs {
      -- Once it was the resource, and the same line of the same function at the same depth.
      "local function show(x) return x.content.name end\npcall(show, missing)\nshow{}",
      "local function show(x) local c = x.content\nif x == missing then return end\nreturn c.name end\nshow(missing)\n"
        .. "local n = show{} return n",
      "local function get(x) return x end\npcall(function() return get(missing).content.name end)\n"
        .. "print(get{}.content.name)",
      "local t = setmetatable({}, { __index = function() return missing end })\nprint(t.x.content.name)",
      -- The same line has read another one since, at another depth.
      "local function name(id)\nlocal c = api('/users/' .. id).content\nif id == 0 then name(1) else return end\n"
        .. "print(c.name) end\nname(0)",
    } do says_nothing(code) end
  end, { seconds = 20 })

  it("NIL-04 NIL-05 is what it was for those who catch it, and content stays nil", function()
    local missing = spec.demo()("/users/0")
    missing:load():await()
    equal(missing.content, nil)
    local _, message = pcall(function() return missing.content.name end)
    contains(message, "attempt to index a nil value (field 'content')")
    excludes(message, "/users/0")
    local text, out = reported([[
      local reads = setmetatable({}, { __mode = "k" })
      for i = 1, 40 do
        local resource = api("/none/" .. i)
        reads[resource] = true
        if resource.content then print(i) end
      end
      for _ = 1, 3 do collectgarbage() lull.sleep(0) end
      print(next(reads))
      local c = missing.content
      for i = 1, 16 do
        if load("local r = ... " .. ("\n"):rep(i) .. " return r.content")(unasked) then print(i) end
      end
      print(c.name)
    ]])
    equal(out, "nil\n")
    contains(text, "attempt to index a nil value (local 'c')")
    excludes(text, "content: ")
  end, { seconds = 20 })
end)
