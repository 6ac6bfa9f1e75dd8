-- lull.auth: what proves who sends a request, as a setting.
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
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
    api:configure { auth = lull.auth.basic(lull.secret { command = "printf key" }, "") }
    equal(sent(api("/echo"):load()).authorization, "Basic a2V5Og==")
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
    raises("Secret or string expected", function() lull.auth.basic("a", "") end)
    raises("string or Secret expected", function() lull.auth.basic(nil, "c") end)
    raises("not a valid header name", function() lull.auth.header("a b", "c") end)
    raises("'auth' must be", function() lull.service { auth = "token" } end)
    raises("'auth' must be", function() lull.service("https://x.test"):configure { auth = true } end)
    check(not pcall(function() return lull.auth.bearer("x").value end))
  end)
end)

describe("oauth2", function()
  local function client(settings)
    local all = {
      token_url = lull.demo() .. "/oauth/token", client_id = "lull",
      client_secret = lull.secret { command = "printf s3cr3t", name = "CLIENT" },
    }
    for key, value in pairs(settings or {}) do all[key] = value end
    return all
  end

  local function reset() assert(spec.demo()("/reset"):post():await()) end
  local function granted() return assert(spec.demo()("/token-count"):load():await()).content.count end

  it("client credentials: one token for all who need it", function()
    reset()
    local api = spec.demo { auth = lull.auth.oauth2_client_credentials(client()) }
    local requests = {}
    for i = 1, 5 do requests[i] = api("/private"):get() end
    for _, entity in ipairs(assert(lull.all(requests))) do equal(entity.content.user, "lull") end
    equal(granted(), 1)
    assert(api("/private"):get():await())
    equal(granted(), 1)
  end)

  it("with the client's secret in the body", function()
    local api = spec.demo { auth = lull.auth.oauth2_client_credentials(client { secret_in = "body" }) }
    assert(api("/private"):get():await())
  end)

  it("a token answered with 401 is renewed once, for all", function()
    reset()
    local api = spec.demo { auth = lull.auth.oauth2_client_credentials(client()) }
    assert(api("/private"):get():await())
    assert(api("/expire"):post():await())
    local requests = {}
    for i = 1, 4 do requests[i] = api("/private"):get() end
    assert(lull.all(requests))
    equal(granted(), 2)
    equal(#requests[1].attempts, 2)
    equal(requests[1].attempts[1].status, 401)
  end)

  it("refresh: each refresh token serves once, and the next one is kept", function()
    reset()
    local first = assert(spec.demo()("/login"):post { json = { user = "ann", password = "x" } }:await())
    local auth = lull.auth.oauth2_refresh(client {
      refresh_token = lull.secret { command = { "printf", "%s", first.content.refresh_token } },
    })
    local api = spec.demo { auth = auth }
    assert(api("/private"):get():await())
    for _ = 1, 2 do
      assert(api("/expire"):post():await())
      assert(api("/private"):get():await())
    end
    equal(granted(), 3)
    -- Another one begins where this one has begun, with a token that is used up.
    local other = spec.demo { auth = lull.auth.oauth2_refresh(client { refresh_token = first.content.refresh_token }) }
    local _, err = other("/private"):get():await()
    equal(err.cause.kind, "auth_failed")
    contains(err.user_message, "invalid_grant: that refresh token is unknown or was used")
  end)

  it("with a token file processes share tokens", function()
    reset()
    local path = os.tmpname()
    os.remove(path)
    local first = assert(spec.demo()("/login"):post { json = { user = "ann", password = "x" } }:await())
    local settings = client { refresh_token = first.content.refresh_token, token_file = path }
    for _ = 1, 3 do
      -- As another process would, it knows nothing but the file.
      assert(spec.demo { auth = lull.auth.oauth2_refresh(settings) }("/private"):get():await())
    end
    equal(granted(), 1)
    assert(spec.demo()("/expire"):post():await())
    assert(spec.demo { auth = lull.auth.oauth2_refresh(settings) }("/private"):get():await())
    equal(granted(), 2)
    -- Somebody else's are not theirs.
    local second = assert(spec.demo()("/login"):post { json = { user = "bob", password = "x" } }:await())
    local theirs = client { refresh_token = second.content.refresh_token, token_file = path }
    for _ = 1, 2 do
      assert(spec.demo { auth = lull.auth.oauth2_refresh(theirs) }("/private"):get():await())
      assert(spec.demo { auth = lull.auth.oauth2_refresh(settings) }("/private"):get():await())
    end
    equal(granted(), 3)
    excludes(lull.read_file(path), second.content.refresh_token)
    os.execute("chmod 644 " .. path)
    local _, err = spec.demo { auth = lull.auth.oauth2_refresh(settings) }("/private"):get():await()
    equal(err.cause.kind, "auth_failed")
    contains(err.user_message, "can be read by other users")
    os.remove(path)
    os.remove(path .. ".lock")
  end)

  it("shows nothing of what it knows", function()
    local lines, seen = {}, {}
    lull.log.enabled = "all"
    lull.log.handler = function(_, line) lines[#lines + 1] = line end
    local auth = lull.auth.oauth2_client_credentials(client { client_secret = "s3cr3t" })
    local api = spec.demo { auth = auth }
    assert(api("/private"):get(nil, function(http) seen[1] = tostring(http.headers) end):await())
    local wrong = spec.demo {
      auth = lull.auth.oauth2_client_credentials(client { client_secret = "hunter2" }) }
    local _, err = wrong("/private"):get():await()
    equal(err.cause.kind, "auth_failed")
    contains(err.user_message, "401, invalid_client")
    local all = table.concat(lines, "\n") .. tostring(err) .. tostring(auth) .. lull.inspect(auth) .. seen[1]
    for _, text in ipairs { "s3cr3t", "hunter2", "token-", "czNjcjN0", "aHVudGVyMg" } do excludes(all, text) end
    contains(all, "‹token of " .. lull.demo() .. "/oauth/token›")
  end)

  it("fails where there is no endpoint, and goes to no other origin", function()
    local gone = spec.demo { auth = lull.auth.oauth2_client_credentials(client { token_url = "http://127.0.0.1:1/t" }) }
    local _, err = gone("/private"):get():await()
    equal(err.cause.kind, "auth_failed")
    contains(err.user_message, "no token from http://127.0.0.1:1/t: cannot connect")
    local index = assert(spec.demo()("/"):load():await()).content
    local api = spec.demo { auth = lull.auth.oauth2_client_credentials(client()) }
    local _, elsewhere = api:resource_at(index.other_origin .. "/private"):get():await()
    equal(elsewhere.cause.kind, "secret_origin")
  end)

  it("believes no token of another origin that the endpoint redirects to", function()
    local index = assert(spec.demo()("/"):load():await()).content
    local function err(location, status)
      local url = spec.demo()("/redirect-to"):with_params { url = location, status = status }.url
      local api = spec.demo { auth = lull.auth.oauth2_client_credentials(client { token_url = url }) }
      local entity, problem = api("/private"):get():await()
      equal(entity, nil)
      return problem
    end
    for _, status in ipairs { 301, 302, 303, 307, 308 } do
      local problem = err(index.other_origin .. "/oauth/token", status)
      equal(problem.cause.kind, "auth_failed")
      contains(problem.user_message, "redirects to another origin, " .. index.other_origin .. ", which is not followed")
      contains(err(index.other_origin:gsub("^http:", "") .. "/oauth/token", status).user_message, index.other_origin)
    end
    contains(err(lull.demo():gsub("^http:", "https:") .. "/oauth/token", 307).user_message, "https://")
    local url = spec.demo()("/redirect-to"):with_params { url = "/oauth/token", status = 307 }.url
    local api = spec.demo { auth = lull.auth.oauth2_client_credentials(client { token_url = url }) }
    assert(api("/private"):get():await())
  end)

  it("a request cancelled while it waits for a token is over at once", function()
    local api = spec.demo { auth = lull.auth.oauth2_client_credentials(client {
      client_secret = lull.secret { command = "sleep 0.1; printf s3cr3t" } }) }
    local one, two = api("/private"):get(), api("/private"):get()
    lull.sleep(0.01)
    one:cancel()
    equal(select(2, one:await()).cause.kind, "request_cancelled")
    assert(two:await())
  end)

  it("raises where something is missing", function()
    raises("'token_url' is required", function()
      lull.auth.oauth2_client_credentials { client_id = "a", client_secret = "b" }
    end)
    raises("'client_secret' is required", function()
      lull.auth.oauth2_client_credentials { client_id = "a", token_url = "https://a.test" }
    end)
    raises("'refresh_token' is required", function()
      lull.auth.oauth2_refresh { client_id = "a", token_url = "https://a.test" }
    end)
    raises("'client_id' is required", function()
      lull.auth.oauth2_refresh { refresh_token = "a", token_url = "https://a.test" }
    end)
    raises("http or https URL", function()
      lull.auth.oauth2_refresh { refresh_token = "a", token_url = "a.test", client_id = "a" }
    end)
    raises("'client_id' must be a non-empty string, got an empty string", function()
      lull.auth.oauth2_refresh { refresh_token = "a", token_url = "https://a.test", client_id = "" }
    end)
    raises("'client_secret' must be a Secret or a string, got an empty string", function()
      lull.auth.oauth2_client_credentials { client_id = "a", client_secret = "" }
    end)
    raises("unknown setting 'secert_in'", function() lull.auth.oauth2_refresh { secert_in = "body" } end)
  end)
end)

-- What the server got as its query, of the request line.
local function query(request) return assert(request:await()).content.query end

describe("auth in a query", function()
  it("is put behind what the request has (QRY-01, QRY-02)", function()
    local api = spec.demo { auth = lull.auth.query("api key", lull.secret { command = "echo 'k&=y'" }) }
    same(query(api("/echo"):load()), { ["api key"] = "k&=y" })
    same(query(api("/echo"):with_params { a = "1" }:load()), { a = "1", ["api key"] = "k&=y" })
    same(query(api("/echo"):with_params { ["api key"] = "own" }:load()), { ["api key"] = "own" })
    same(query(api("/echo"):post { json = {} }), { ["api key"] = "k&=y" })
    api:configure { auth = lull.auth.query { b = "2", a = lull.secret { command = "echo 1" } } }
    same(query(api("/echo"):load()), { a = "1", b = "2" })
    api:configure { auth = false }
    same(query(api("/echo"):load()), {})
  end)

  it("stands beside parameters that are secrets, and in one-off requests (QRY-01)", function()
    local api = spec.demo { auth = lull.auth.query("key", "k") }
    local secret = lull.secret { command = "echo s" }
    same(query(api("/echo"):with_params { id = secret }:load()), { id = "s", key = "k" })
    local url = assert(api("/"):load():await()).content.origin .. "/echo?a=1"
    local response = assert(lull.get(url, { auth = lull.auth.query("key", "once") }):await())
    same(response.content.query, { a = "1", key = "once" })
  end)

  it("is not a part of the resource's URL, nor seen by anybody (QRY-03, QRY-04)", function()
    local seen
    local api, requests = spec.fake(spec.json "{}", {
      auth = lull.auth.query("key", "hunter2"), mutate_requests = function(http) seen = http.url end,
    })
    local resource = api("/x")
    local request = resource:load()
    assert(request:await())
    equal(seen, "https://api.test/v1/x")
    equal(requests[1].url, "https://api.test/v1/x?key=‹secret literal›")
    equal(resource.url, "https://api.test/v1/x")
    equal(api("/x"), resource)
    equal(tostring(lull.auth.query("key", "hunter2")), "Auth(?key=‹secret literal›)")
    equal(api:configuration_for("/x").auth, "?key=‹secret literal›")
  end)

  it("goes to the service's origin only, and a redirect gets none (QRY-05)", function()
    local api = spec.demo { auth = lull.auth.query("key", "hunter2") }
    local index = assert(api("/"):load():await()).content
    local other = index.other_origin
    local _, err = api:resource_at(other .. "/echo"):load():await()
    equal(err.cause.kind, "secret_origin")
    contains(tostring(err), "in the URL is not sent to " .. other)
    excludes(tostring(err), "hunter2")
    same(query(api("/redirect/1"):load()), {})
  end)

  it("is left out of links to next pages, and put on them again (QRY-06)", function()
    local base = "https://api.test/v1"
    local asked = {}
    local api = spec.fake(function(http)
      asked[#asked + 1] = http.url:sub(#base + 1)
      local next_page = #asked < 3 and "</v1/a?page=" .. #asked + 1 .. "&k%65y=hunter2>; rel=next" or nil
      return spec.json("[" .. #asked .. "]", { Link = next_page })
    end, { auth = lull.auth.query("key", "hunter2") })
    local urls = {}
    for _, page in api("/a"):pages() do urls[#urls + 1] = page.url:sub(#base + 1) end
    same(urls, { "/a", "/a?page=2", "/a?page=3" })
    same(asked, {
      "/a?key=‹secret literal›", "/a?page=2&key=‹secret literal›", "/a?page=3&key=‹secret literal›",
    })
  end)

  it("does not lead where relative links lead elsewhere (QRY-03, QRY-06)", function()
    local api = spec.demo { auth = lull.auth.query("key", "hunter2") }
    local entity = assert(api("/echo"):with_params { a = "1" }:load():await())
    check(entity.url:find("/echo?a=1", 1, true) and not entity.url:find("key", 1, true), entity.url)
    local origin = assert(api("/"):load():await()).content.origin
    local target = origin .. "/echo?key=hunter2&b=2"
    local landed = assert(api("/redirect-to"):with_params { url = target }:load():await())
    equal(landed.content.query.key, "hunter2")
    equal(landed.url, origin .. "/echo?b=2")
  end)

  it("refuses what is no parameter", function()
    raises("the name of a parameter must not be empty", function() lull.auth.query("", "x") end)
    raises("Secret or string expected, got nil", function() lull.auth.query("a") end)
    raises("a parameter expected, got none", function() lull.auth.query {} end)
    raises("got the key 1", function() lull.auth.query { "a" } end)
    raises("'a' must be a Secret or a string, got number", function() lull.auth.query { a = 1 } end)
    raises("no second argument expected after a table", function() lull.auth.query({ a = "x" }, "y") end)
    raises("not valid UTF-8", function() lull.auth.query("\xff", "y") end)
  end)
end)
