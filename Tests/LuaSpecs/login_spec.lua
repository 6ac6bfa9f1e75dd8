-- lull.auth.oauth2_code and oauth2_device: what a script has of a login.
local lull = require "lull"
local spec = ...
local describe, it, equal, contains, raises = spec.describe, spec.it, spec.equal, spec.contains, spec.raises
local excludes = spec.excludes

local function client(settings)
  local all = {
    authorization_url = lull.demo() .. "/authorize", token_url = lull.demo() .. "/oauth/token",
    client_id = "lull", client_secret = "s3cr3t",
  }
  for key, value in pairs(settings or {}) do all[key] = value end
  return all
end

-- A token file as `lull login` writes it.
local function tokens(settings, entry)
  local path = os.tmpname()
  local parts = {}
  for _, part in ipairs { settings.token_url, settings.client_id, "login", "", "" } do
    parts[#parts + 1] = #part .. ":" .. part
  end
  local name = table.concat(parts, " ") .. " " .. lull.sha256("token file:")
  assert(lull.write_file(path, lull.json.encode { [name] = entry }))
  os.execute("chmod 600 " .. path)
  settings.token_file = path
  return setmetatable({ path = path }, { __close = function()
    os.remove(path)
    os.remove(path .. ".lock")
  end })
end

local function refresh_token()
  assert(spec.demo()("/reset"):post():await())
  local login = spec.demo()("/login"):post { json = { user = "ann", password = "x" } }
  return assert(login:await()).content.refresh_token
end

describe("a login", function()
  it("OAU-01 that is not there fails the request, and the error says what to run", function()
    local path = os.tmpname()
    os.remove(path)
    local api = spec.demo { auth = lull.auth.oauth2_code(client { token_file = path }) }
    local _, err = api("/private"):load():await()
    equal(err.cause.kind, "auth_failed")
    contains(err.user_message, "there is no login 'login_spec' yet; run 'lull login ")
    contains(err.user_message, "login_spec.lua'")
    local named = spec.demo { auth = lull.auth.oauth2_code(client { name = "shop", token_file = path }) }
    contains(select(2, named("/private"):load():await()).user_message, "--name shop'")
    os.remove(path .. ".lock")
  end)

  it("OAU-14 is used, and renewed with each refresh token once", function()
    local settings = client()
    local file <close> = tokens(settings, {
      access_token = "old", refresh_token = refresh_token(), expires = 1, lifetime = 9 })
    for _ = 1, 2 do
      assert(spec.demo { auth = lull.auth.oauth2_code(settings) }("/private"):load():await())
      assert(spec.demo()("/expire"):post():await())
    end
    -- Tokens are as good by whichever way they were fetched.
    settings.authorization_url, settings.device_url = nil, lull.demo() .. "/device"
    assert(spec.demo { auth = lull.auth.oauth2_device(settings) }("/private"):load():await())
    contains(lull.read_file(file.path), "refresh_token")
  end)

  it("OAU-14 that has ended says to log in again", function()
    local settings = client()
    local used <close> = tokens(settings, {
      access_token = "old", refresh_token = "0ld", expires = 1, lifetime = 9 })
    local _, err = spec.demo { auth = lull.auth.oauth2_code(settings) }("/private"):load():await()
    contains(err.user_message, "invalid_grant: that refresh token is unknown or was used; run 'lull login ")
    contains(err.user_message, "' again")
    local without <close> = tokens(settings, { access_token = "old", expires = 1, lifetime = 9 })
    _, err = spec.demo { auth = lull.auth.oauth2_code(settings) }("/private"):load():await()
    contains(err.user_message, "has expired and cannot be renewed; run 'lull login ")
    spec.check(used.path ~= without.path)
  end)

  it("OAU-14 whose token is refused and cannot be renewed fails the request", function()
    local settings = client()
    local _ <close> = tokens(settings, { access_token = "nobodys", lifetime = 0 })
    local _, err = spec.demo { auth = lull.auth.oauth2_code(settings) }("/private"):load():await()
    equal(err.cause.kind, "auth_failed")
    contains(err.user_message, "run 'lull login ")
    excludes(err.user_message, "nobodys")
  end)

  it("OAU-10 is masked, and goes to no other origin", function()
    local settings = client()
    local _ <close> = tokens(settings, { access_token = "acc355", lifetime = 0 })
    local auth = lull.auth.oauth2_code(settings)
    contains(tostring(auth), "‹token of " .. lull.demo() .. "/oauth/token, by lull login ")
    local index = assert(spec.demo()("/"):load():await()).content
    local _, err = spec.demo { auth = auth }:resource_at(index.other_origin .. "/echo"):load():await()
    equal(err.cause.kind, "secret_origin")
    local api = spec.demo { auth = auth }
    excludes(api("/echo"):explain() .. lull.inspect(auth), "acc355")
    equal(assert(api("/echo"):load():await()).content.headers.authorization, "Bearer acc355")
  end)

  it("OAU-02 is kept by the name of the file, or by its own", function()
    for _, name in ipairs { "../x", "a/b", ".hidden", "-x", "a b", "a\n", ("x"):rep(101), "ü" } do
      raises("'name' must have only letters, digits, '-', '_' and '.', since it names the token file", function()
        lull.auth.oauth2_code(client { name = name })
      end)
    end
    raises("'name' must be a non-empty string", function() lull.auth.oauth2_code(client { name = "" }) end)
    local typed = assert(load([[local lull, settings = ... return lull.auth.oauth2_code(settings)]], "=typed"))
    contains(select(2, pcall(typed, lull, client())), "'name' is required outside an API file")
    contains(tostring(typed(lull, client { name = "shop" })), "by lull login shop›")
  end)

  it("OAU-13 takes https URLs, or those of this machine", function()
    for _, key in ipairs { "authorization_url", "token_url", "revocation_url" } do
      for _, url in ipairs { "http://login.test/a", "http://127.0.0.1.evil.test", "https://a.test/#x" } do
        raises("'" .. key .. "' must be an https URL without a fragment, or an http URL of this machine", function()
          lull.auth.oauth2_code(client { [key] = url })
        end)
      end
    end
    raises("'device_url' must be an https URL", function()
      lull.auth.oauth2_device {
        token_url = "https://a.test", client_id = "a", device_url = "http://a.test" }
    end)
  end)

  it("refuses what it cannot do", function()
    raises("'authorization_url' is required", function()
      lull.auth.oauth2_code { token_url = "https://a.test", client_id = "a" }
    end)
    raises("'device_url' is required", function()
      lull.auth.oauth2_device { token_url = "https://a.test", client_id = "a" }
    end)
    raises("'token_url' is required", function() lull.auth.oauth2_device { client_id = "a" } end)
    raises("'client_id' is required", function()
      lull.auth.oauth2_device { token_url = "https://a.test", device_url = "https://a.test" }
    end)
    for _, port in ipairs { -1, 65536, 1.5, "80", true } do
      raises("'port' must be a whole number from 0 to 65535", function()
        lull.auth.oauth2_code(client { port = port })
      end)
    end
    for _, path in ipairs { "callback", "/a b", "/a?b", "/a#b", "/%", "/ü" } do
      raises("'redirect_path' must be a path such as", function()
        lull.auth.oauth2_code(client { redirect_path = path })
      end)
    end
    raises("unknown setting 'device_url'", function() lull.auth.oauth2_code { device_url = "https://a.test" } end)
    raises("unknown setting 'port'", function() lull.auth.oauth2_device { port = 1 } end)
    raises("unknown setting 'refresh_token'", function() lull.auth.oauth2_code { refresh_token = "a" } end)
    raises("table expected", function() lull.auth.oauth2_code("shop") end)
  end)
end)
