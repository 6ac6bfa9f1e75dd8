-- Failed requests that a script does not look at.
local lull = require "lull"
local spec = ...
local describe, it, equal, contains, raises = spec.describe, spec.it, spec.equal, spec.contains, spec.raises

-- A script with a service whose requests fail with 503, but that of /ok, and what it ends with.
local function run(source)
  return spec.script([[
    local lull = require "lull"
    local api = lull.service{ base_url = "https://a.example", networking = function(http)
      if http.url:find("/ok", 1, true) then return { json = 1 } end
      return { status = 503 }
    end }
    lull.run(function()
  ]] .. source .. "\nlull.sleep(0.05) end)")
end

local function code(failed) return failed and not spec.is_stock and 1 or 0 end

local function is_reported(source, ...)
  local result = run(source)
  for _, part in ipairs { ... } do contains(result.err, part) end
  local _, count = result.err:gsub("\n", "")
  equal(count, select("#", ...), result.err)
  equal(result.code, code(true), result.err)
end

local function is_quiet(source)
  local result = run(source)
  equal(result.err, "")
  equal(result.code, 0)
end

describe("a failed request that nothing looks at", function()
  it("UNH-01 is reported in one line at the end, and the exit code is 1", function()
    is_reported('api("/x"):post{ json = 1 }',
      "lull: POST https://a.example/x failed, and the script did not handle it: ")
    is_reported('api("/a"):load() api("/b"):get():on_success(print) api("/ok"):load()',
      "lull: GET https://a.example/a failed", "lull: GET https://a.example/b failed")
    is_reported('lull.get("ftp://a.example/")', "lull: GET ftp://a.example/ failed")
  end)

  it("UNH-02 is not reported if it was awaited, has a hook, or was read", function()
    is_quiet 'api("/a"):load():await() api("/b"):get():on_failure(function() end)'
    is_quiet 'api("/a"):put{ json = 1 }:on_completion(function() end)'
    is_quiet 'local r = api("/a"):get() lull.sleep(0.05) assert(r.response)'
    is_quiet 'lull.all{ api("/a"):get(), api("/b"):get() }'
    is_quiet 'lull.any{ api("/a"):get(), api("/b"):get() }'
    is_quiet 'local r = api("/a"):get() lull.sleep(0.05) assert(not r:await())'
  end)

  it("UNH-02 is not reported of a load that is observed, or whose error was read", function()
    is_quiet 'api("/a"):observe(function() end) api("/a"):load()'
    is_quiet 'local r = api("/a") r:load() lull.sleep(0.05) assert(r.latest_error)'
    is_quiet 'local r = api("/a") r:load_if_needed() lull.sleep(0.05) assert(r.latest_error)'
    is_reported('local r = api("/a") assert(not r.latest_error) r:load()', "/a failed")
    is_reported('api("/a"):observe(function() end) api("/a"):post{ json = 1 }', "/a failed")
  end)

  it("UNH-02 is not reported of a load whose observer has had the failure and stops observing then", function()
    is_quiet [[
      local r, o = api("/a") o = r:observe(function(_, e) if e == "error" then o:stop() end end)
      r:load() lull.sleep(0.05) assert(r.latest_error)
    ]]
    is_quiet [[
      local r, o = api("/a") o = r:observe(function(_, e) if e == "error" then o:stop() end end)
      r:load()
    ]]
    -- The next failure is another one.
    is_reported([[
      local r, o = api("/a") o = r:observe(function(_, e) if e == "error" then o:stop() end end)
      r:load() lull.sleep(0.05) r:load()
    ]], "/a failed")
    is_quiet [[
      local r, seen = api("/a")
      r:load():on_success(print):on_new_data(print) r:observe(function(_, e) seen = e == "error" and r.latest_error end)
      lull.sleep(0.05) assert(seen)
    ]]
  end)

  it("UNH-12 is not reported of a load if the failure of a later one was looked at", function()
    is_quiet 'local r = api("/a") r:load() assert(not r:load():await())'
    is_quiet 'local r = api("/a") r:load() local l = r:load() lull.sleep(0.05) assert(not l:await())'
    is_quiet 'local r = api("/a") r:load() lull.sleep(0.05) assert(not r:load():await())'
    is_reported('local r = api("/a") assert(not r:load():await()) r:load()', "/a failed")
    is_reported('api("/b"):load() assert(not api("/a"):load():await())', "/b failed")
  end)

  it("UNH-03 is not reported if an error of the script in a networking function is behind it", function()
    local broken = [[
      api = lull.service{ base_url = "https://a.example", networking = function() error "broken" end }
    ]]
    local result = run(broken .. 'api("/a"):load() api("/b"):get()')
    contains(result.err, "broken")
    equal(result.err:find("did not handle", 1, true), nil)
    equal(result.code, code(true))
    is_reported('api = lull.service{ base_url = "https://a.example", networking = function() end } '
      .. 'api("/a"):get() collectgarbage()', "GET https://a.example/a failed")
  end)

  it("UNH-03 is not reported if it was cancelled or replaced", function()
    is_quiet 'local r = api("/a"):load() r:cancel()'
    is_quiet 'api("/a"):get():chained(function() return api("/ok"):get() end)'
    is_reported('api("/a"):get():chained(function() end)', "/a failed")
    is_reported('api("/a"):get():chained(function() return api("/b"):get() end)', "/a failed")
    is_quiet [[
      local n = 0
      local again = lull.service{ base_url = "https://b.example",
        retry = { times = 2, backoff = { base = 0.01, jitter = false } },
        networking = function() n = n + 1 return n < 3 and { status = 503 } or { json = n } end }
      again("/x"):load() lull.sleep(0.2) assert(n == 3)
    ]]
  end)

  it("UNH-02 is not reported of a stream or a page, which give their failure, decorated or not", function()
    for _, source in ipairs {
      'for _ in api("/s"):events{ reconnect = false } do end', 'for _ in api("/p"):pages() do end',
    } do
      is_quiet("assert(not pcall(function() " .. source .. " end))")
      is_quiet([[api = lull.service{ base_url = "https://a.example",
        networking = function() return { status = 503 } end,
        decorate_requests = function(_, request) return request end }
        assert(not pcall(function() ]] .. source .. " end))")
    end
  end)

  it("UNH-08 is reported of a followed stream that has failed, unless that was read", function()
    local follow = 'local f = api("/s"):follow{ reduce = function() return 1 end } '
    is_reported(follow, "lull: GET https://a.example/s failed")
    is_quiet(follow .. "assert(select(2, f:await()))")
    is_quiet(follow .. "lull.sleep(0.05) assert(select(2, f:await()))")
    is_quiet(follow .. 'lull.sleep(0.05) assert(api("/s").latest_error)')
    is_quiet(follow .. 'api("/s"):observe(function() end)')
    is_quiet(follow .. "f:stop()")
  end)

  it("UNH-04 is counted where there are many", function()
    local result = run 'for i = 1, 1500 do api("/a" .. i):get() end'
    contains(result.err, "lull: 1480 more requests failed")
    local _, count = result.err:gsub("\n", "")
    equal(count, 21)
    equal(result.code, code(true))
  end)

  it("UNH-04 sends the number of the rest to the handler too", function()
    local result = run [[
      local count = 0
      lull.on_error(function(err)
        count = count + 1
        io.stdout:write(count, " ", tostring(err), "\n")
        return true
      end)
      for i = 1, 25 do api("/a" .. i):get() end
    ]]
    equal(result.err, "")
    equal(result.code, 0)
    if not spec.is_stock then contains(result.out, "21 5 more requests failed") end
  end)

  if not spec.is_stock then
    it("UNH-11 is reported before os.exit, whose code stays", function()
      local result = run 'api("/a"):load() lull.sleep(0.05) os.exit(0)'
      contains(result.err, "lull: GET https://a.example/a failed")
      equal(result.code, 0)
      result = run [[
        lull.on_error(function(err) print("heard", err) return true end)
        api("/a"):load() lull.sleep(0.05) os.exit(5)
      ]]
      equal(result.err, "")
      contains(result.out, "heard")
      equal(result.code, 5)
    end)
  end

  it("UNH-10 refuses other values of lull.unhandled", function()
    local before = lull.unhandled
    raises([['unhandled' must be "report" or "ignore", got 'ignroe' (did you mean 'ignore'?)]], function()
      lull.unhandled = "ignroe"
    end)
    for text, value in pairs { ["got false"] = false, ["got 1"] = 1, ["got table"] = {}, ["got 'off'"] = "off" } do
      raises(text, function() lull.unhandled = value end)
    end
    raises("got nil", function() lull.unhandled = nil end)
    lull.unhandled = "ignore"
    equal(lull.unhandled, "ignore")
    lull.unhandled = "report"
    equal(lull.unhandled, "report")
    lull.unhandled = before
    equal(spec.script('io.write(require "lull".unhandled)').out, "report")
    equal(lull.no_such_field, nil)
    lull.field_of_a_spec = 1
    equal(lull.field_of_a_spec, 1)
    lull.field_of_a_spec = nil
  end)

  it("UNH-05 is not reported if the script has said so", function()
    is_quiet 'lull.unhandled = "ignore" api("/a"):get()'
  end)

  it("UNH-07 says that await is a method where a global await is called", function()
    local result = spec.script 'local lull = require "lull" local r = lull.get("http://a.example") r:cancel() await(r)'
    if not spec.is_stock then contains(result.err, "await is a method: request:await()") end
  end)

  it("UNH-01 goes to the handler of lull.on_error", function()
    local result = run [[
      lull.on_error(function(err, _, where) print(tostring(err):match("^%u+ [^ ]+"), where) return true end)
      api("/a"):get()
    ]]
    equal(result.err, "")
    equal(result.code, 0)
    if not spec.is_stock then contains(result.out, "a request without an await") end
  end)
end)
