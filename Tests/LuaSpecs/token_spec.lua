-- lull.auth.token: tokens that a function of the script gets (OAU-120 to OAU-126).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, excludes, raises = spec.contains, spec.excludes, spec.raises

-- A login at the sample API.
local function login(service)
  local entity, err = service("/login"):post { json = { user = "ann", password = "pw" } }:await()
  if not entity then return nil, err end
  return entity.content.token
end

-- A service of the sample API with these options for its token, and what `fetch` was called with.
local function world(options)
  local calls = {}
  local all = {}
  for k, v in pairs(options or {}) do all[k] = v end
  local fetch = all.fetch or login
  all.fetch = function(service, old)
    calls[#calls + 1] = old or "none"
    return fetch(service, old)
  end
  return spec.demo { auth = lull.auth.token(all) }, calls
end

local function expire() assert(lull.service(lull.demo())("/expire"):post():await()) end

describe("lull.auth.token", function()
  it("OAU-120 OAU-121 has a token fetched once for all requests, and none for those of fetch", function()
    local given
    local api, calls = world { fetch = function(service, old)
      given = { service, old }
      return login(service)
    end }
    local loads = {}
    for i = 1, 5 do loads[i] = api("/private"):with_param("n", i):load() end
    equal(assert(lull.all(loads))[5].content.message, "only for you")
    same(calls, { "none" })
    equal(given[1], api)
    equal(given[2], nil)
    assert(api("/private"):load():await())
    equal(#calls, 1)
  end)

  it("OAU-121 has none for requests of tasks and functions that fetch starts", function()
    for _, fetch in ipairs {
      function(service) return lull.timeout(5, function() return login(service) end) end,
      function(service) return lull.spawn(login, service):await() end,
      function(service) return assert(lull.map({ 1 }, function() return login(service) end))[1] end,
      function(service)
        return lull.wait_until(function() return lull.spawn(login, service):await() end)
      end,
    } do
      local api, calls = world { fetch = fetch }
      equal(assert(api("/private"):load():await()).content.message, "only for you")
      equal(#calls, 1)
    end
  end)

  it("OAU-122 fetches another one after a 401, once for all, and sends the request once more", function()
    local api, calls = world()
    assert(api("/private"):load():await())
    expire()
    local loads = {}
    for i = 1, 4 do loads[i] = api("/private"):with_param("n", i):load() end
    assert(lull.all(loads))
    equal(#calls, 2)
    contains(calls[2], "token-")
  end)

  it("OAU-122 lets a second 401 stand", function()
    local api, calls = world { fetch = function() return "wrong" end }
    local request = api("/private"):load()
    equal(select(2, request:await()).http_status, 401)
    equal(#request.attempts, 2)
    same(calls, { "none", "wrong" })
  end)

  it("OAU-120 fetches before the end of a token whose life is known", function()
    local count = 0
    local api, calls = world { fetch = function(service)
      count = count + 1
      return login(service), count == 1 and 0.01 or 1000
    end }
    assert(api("/private"):load():await())
    lull.sleep(0.02)
    assert(api("/private"):load():await())
    assert(api("/private"):load():await())
    equal(#calls, 2)
  end)

  it("OAU-123 fails requests with auth_failed where there is none", function()
    local function message(fetch)
      local api, sent = spec.fake(spec.json "1", { auth = lull.auth.token { fetch = fetch } })
      local _, err = api("/a"):load():await()
      equal(err.cause.kind, "auth_failed")
      equal(#sent, 0)
      return err.cause.message
    end
    contains(message(function() return nil, "locked out" end), "no token: locked out")
    contains(message(function() end), "no token: the fetch function returned none")
    contains(message(function() return nil, lull.error { http_status = 403 } end), "no token: Forbidden")
    contains(message(function() error(lull.error { http_status = 403 }) end), "no token: Forbidden")
    equal(#spec.reports(), 0)
    contains(message(function() error("boom", 0) end), "no token: the fetch function failed: boom")
    contains(spec.reports()[1].message, "boom")
    for _, case in ipairs {
      { function() return 7 end, "fetch must return a token, a string or a Secret, got number" },
      { function() return "" end, "fetch must return a token, a string or a Secret, got an empty string" },
      { function() return "a\nb" end, "the token that fetch returned is used in a header, so it" },
      { function() return "a\xff" end, "UTF-8" },
      { function() return "a", "soon" end, "the token's lifetime in seconds" },
      { function() return "a", -1 end, "the token's lifetime in seconds" },
    } do
      contains(message(case[1]), case[2])
      contains(spec.reports()[1].message, case[2])
    end
  end)

  it("OAU-123 tries again with the next request", function()
    local count = 0
    local api, calls = world { fetch = function(service)
      count = count + 1
      if count == 1 then return nil, "not yet" end
      return login(service)
    end }
    equal(api("/private"):load():await(), nil)
    assert(api("/private"):load():await())
    equal(#calls, 2)
  end)

  it("sends it in another header, and lets a header of the request's own stand", function()
    local api = world { header = "X-Token", fetch = function() return "t1" end }
    equal(assert(api("/echo"):load():await()).content.headers["x-token"], "t1")
    local own = api("/echo"):get(nil, { headers = { ["X-Token"] = "mine" } })
    equal(assert(own:await()).content.headers["x-token"], "mine")
    equal(api:configuration_for("/a").auth, "x-token: ‹token›")
    local other = lull.auth.token { prefix = "Token ", name = "ann", fetch = print }
    equal(tostring(other), "Auth(authorization: Token ‹token of ann›)")
  end)

  it("takes a Secret", function()
    local api = world { header = "X-Token", fetch = function() return lull.secret { env = "HOME" } end }
    equal(assert(api("/echo"):load():await()).content.headers["x-token"], os.getenv "HOME")
  end)

  it("OAU-121 stops the fetch that nobody waits for", function()
    local ended = false
    local api = world { fetch = function()
      local guard <close> = setmetatable({}, { __close = function() ended = true end })
      check(guard)
      lull.sleep(60)
      return "t1"
    end }
    local load = api("/private"):load()
    spec.turn()
    load:cancel()
    spec.turn()
    equal(ended, true)
  end)

  it("OAU-121 does not wait longer than the request may take", function()
    local api = world { fetch = function() lull.sleep(60) return "t1" end }
    local _, err = api("/private"):get(nil, { timeout = 0.05 }):await()
    check(err.cause.kind == "auth_failed" or err.cause.kind == "timeout", tostring(err))
  end)

  it("OAU-125 is not shown, in errors and in the log", function()
    local lines = {}
    local api = world { fetch = function() return "s3cr3t-token" end }
    lull.log.enabled = { "network", "network_details" }
    lull.log.handler = function(_, line) lines[#lines + 1] = line end
    local _, err = api("/private"):load():await()
    lull.log.enabled = {}
    lull.log.handler = nil
    equal(err.http_status, 401)
    excludes(tostring(err) .. table.concat(lines, "\n") .. api("/private"):explain(), "s3cr3t")
  end)

  it("OAU-124 keeps it in a file for other processes, for its owner alone", function()
    local dir, _ <close> = spec.temporary_folder()
    local path = dir .. "/tokens/mine.json"
    local options = { token_file = path, fetch = function(service) return login(service), 3600 end }
    local first, first_calls = world(options)
    assert(first("/private"):load():await())
    contains(spec.shell("ls -l " .. path), "-rw-------")
    local second, second_calls = world(options)
    assert(second("/private"):load():await())
    same({ #first_calls, #second_calls }, { 1, 0 })
    -- One that is not taken any more is fetched again, with the old one.
    expire()
    assert(second("/private"):load():await())
    equal(#second_calls, 1)
    contains(second_calls[1], "token-")
    -- The first finds what the second has fetched.
    assert(first("/private"):load():await())
    equal(#first_calls, 1)
    -- Another name is another token.
    options.name = "ben"
    local third, third_calls = world(options)
    assert(third("/private"):load():await())
    same(third_calls, { "none" })
    contains(lull.read_file(path), '"token ben"')
    spec.shell("chmod 644 " .. path)
    local _, err = world(options)("/private"):load():await()
    contains(err.cause.message, "can be read by other users")
  end, { seconds = 20 })

  it("LIM-160 makes no file for root in another user's folder", function()
    -- Only root can make one.
    if spec.shell("id -u") ~= "0" then return end
    local dir, _ <close> = spec.temporary_folder()
    spec.shell("chown 65534 " .. dir)
    local path = dir .. "/tokens/t.json"
    local api = world { token_file = path, fetch = function(service) return login(service), 3600 end }
    local _, err = api("/private"):load():await()
    contains(err.cause.message, "belongs to another user")
    equal(spec.shell("ls -A " .. dir), "")
  end)

  it("OAU-124 keeps no Secret", function()
    local dir, _ <close> = spec.temporary_folder()
    local api = world { token_file = dir .. "/t.json", fetch = function() return lull.secret { env = "HOME" } end }
    local _, err = api("/private"):load():await()
    contains(err.cause.message, "fetch must return a string if 'token_file' is set")
    equal(#spec.reports(), 1)
  end)

  it("OAU-126 tells apart what caches keep by its name", function()
    local dir, _ <close> = spec.temporary_folder()
    local function fetches(name)
      local api, calls = world { name = name }
      api:configure { expiration_time = 60, pipeline = {
        parsing = { cache = lull.cache.file { path = dir .. "/cache.db" } },
      } }
      assert(api("/users/7"):fetch())
      return #calls
    end
    equal(fetches "ann", 1)
    equal(fetches "ann", 0)
    equal(fetches "ben", 1)
    equal(fetches(nil), 1)
    equal(fetches(nil), 1)
  end)

  it("keeps its function as long as the service", function()
    local api = spec.demo()
    api:configure { auth = lull.auth.token { fetch = login } }
    spec.collect()
    assert(api("/private"):load():await())
    api:configure(function(config) config.auth = lull.auth.token { fetch = login } end)
    assert(api("/private"):load():await())
    spec.collect()
    api:invalidate_configuration()
    assert(api("/private"):load():await())
  end)

  it("takes what it must", function()
    raises("'fetch' is required", function() lull.auth.token {} end)
    raises("'fetch' must be a function, got string", function() lull.auth.token { fetch = "x" } end)
    raises("'header' must be the name of a header, got 'a b'", function()
      lull.auth.token { fetch = print, header = "a b" }
    end)
    raises("'prefix'", function() lull.auth.token { fetch = print, prefix = "a\n" } end)
    raises("did you mean 'token_file'?", function() lull.auth.token { fetch = print, tokn_file = "x" } end)
    raises("'token_file' must be a non-empty string", function()
      lull.auth.token { fetch = print, token_file = "" }
    end)
  end)
end)
