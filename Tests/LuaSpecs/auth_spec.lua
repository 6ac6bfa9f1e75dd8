-- lull.auth: what proves who sends a request, as a setting.
local lull = require "lull"
local spec = ...
local describe, it, equal, check = spec.describe, spec.it, spec.equal, spec.check
local contains, excludes, raises = spec.contains, spec.excludes, spec.raises

local function sent(request) return assert(request:await()).content.headers end

describe("auth", function()
  it("bearer, basic and header put their header on each request", function()
    local api = spec.demo { auth = lull.auth.bearer("t0ken") }
    equal(sent(api("/echo"):load()).authorization, "Bearer t0ken")
    api:configure { auth = lull.auth.basic("Aladdin", "open sesame") }
    equal(sent(api("/echo"):load()).authorization, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    api:configure { auth = lull.auth.basic("", lull.secret { command = "printf p" }) }
    equal(sent(api("/echo"):load()).authorization, "Basic OnA=")
    api:configure { auth = lull.auth.header("X-API-Key", "k" .. lull.secret { command = "echo ey" }) }
    local headers = sent(api("/echo"):load())
    equal(headers["x-api-key"], "key")
    equal(headers.authorization, nil)
  end)

  it("is a setting by pattern, and false takes it away", function()
    local api = spec.demo { auth = lull.auth.bearer("a") }
    api:configure("/echo", { auth = false })
    equal(sent(api("/echo"):load()).authorization, nil)
    api:configure("/echo", function(config) config.auth = lull.auth.bearer("b") end)
    equal(sent(api("/echo"):load()).authorization, "Bearer b")
    local last
    api:configure("/echo", function(config)
      last = tostring(config.auth)
      config.auth = nil
    end)
    equal(sent(api("/echo"):load()).authorization, nil)
    equal(last, "Auth(authorization: Bearer ‹secret literal›)")
  end)

  it("lets a header of the request stand", function()
    local api = spec.demo { auth = lull.auth.bearer("a") }
    local headers = sent(api("/echo"):get(nil, function(http) http.headers.Authorization = "own" end))
    equal(headers.authorization, "own")
  end)

  it("is put on behind mutations, which do not see it", function()
    local seen = "none"
    local api = spec.demo {
      auth = lull.auth.bearer("a"),
      mutate_requests = function(http) seen = http.headers.authorization end,
    }
    equal(sent(api("/echo"):load()).authorization, "Bearer a")
    equal(seen, nil)
  end)

  it("is masked wherever it shows, strings too", function()
    local auth = lull.auth.basic("ann", "hunter2")
    equal(tostring(auth), "Auth(authorization: Basic ‹secret literal›)")
    local api, requests = spec.fake(spec.json "{}", { auth = auth })
    assert(api("/x"):load():await())
    equal(requests[1].headers.authorization, "Basic ‹secret literal›")
    equal(api:configuration_for("/x").auth, "authorization: Basic ‹secret literal›")
    local lines = {}
    lull.log.enabled = "all"
    lull.log.handler = function(_, line) lines[#lines + 1] = line end
    assert(api("/y"):load():await())
    local all = table.concat(lines, "\n")
    contains(all, "auth: authorization: Basic ‹secret literal›")
    excludes(all, "hunter2")
    excludes(all, "aHVudGVyMg")
  end)

  it("goes to no other origin", function()
    local index = assert(spec.demo()("/"):load():await()).content
    local api = spec.demo { auth = lull.auth.bearer("a") }
    equal(select(2, api:resource_at(index.other_origin .. "/echo"):load():await()).cause.kind, "secret_origin")
    local followed = assert(api("/redirect-other"):load():await())
    contains(followed.url, index.other_origin)
    equal(followed.content.headers.authorization, nil)
  end)

  it("refuses what is no credential", function()
    raises("Secret or string expected", function() lull.auth.bearer(7) end)
    raises("Secret or string expected", function() lull.auth.bearer("") end)
    raises("without a colon", function() lull.auth.basic("a:b", "c") end)
    raises("not a valid header name", function() lull.auth.header("a b", "c") end)
    raises("'auth' must be", function() lull.service { auth = "token" } end)
    raises("'auth' must be", function() lull.service("https://x.test"):configure { auth = true } end)
    check(not pcall(function() return lull.auth.bearer("x").value end))
  end)
end)
