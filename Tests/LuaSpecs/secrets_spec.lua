-- lull.secret: where a credential comes from, where it goes, and that nobody sees it on the way.
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, excludes, raises = spec.contains, spec.excludes, spec.raises

-- What must not be seen anywhere but on the wire; with characters that every place escapes.
local plain = [[s3cr3t"\ &=ü]]
local mask = "‹secret VAULT›"

-- A secret in a file of its own, which is gone afterwards.
local function vault(text, options)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(text or plain)
  file:close()
  local source = { file = path, name = "VAULT" }
  for key, value in pairs(options or {}) do source[key] = value end
  return lull.secret(source), setmetatable({ path = path }, { __close = function() os.remove(path) end })
end

local function origins()
  local index = assert(spec.demo()("/"):load():await()).content
  return index.origin, index.other_origin
end

-- What /echo got at either origin since the last reset.
local function received()
  return assert(spec.demo()("/received"):load():await()).content.requests
end

local function reset() assert(spec.demo()("/reset"):post():await()) end

describe("a secret", function()
  it("shows its mask however it is looked at", function()
    local secret, _ <close> = vault()
    equal(tostring(secret), mask)
    equal(("%s!"):format(secret), mask .. "!")
    equal(lull.inspect { secret }, "{ " .. mask .. " }")
    equal(lull.json.encode { secret }, '["' .. mask .. '"]')
    equal(lull.json.encode(secret, { pretty = true }), '"' .. mask .. '"')
    equal(tostring(lull.copy { secret }[1]), mask)
  end)

  it("is called after its source unless it has a name", function()
    equal(tostring(lull.secret { env = "GITHUB_TOKEN" }), "‹secret GITHUB_TOKEN›")
    equal(tostring(lull.secret { file = "~/keys/github" }), "‹secret github›")
    equal(tostring(lull.secret { command = "pass show github" }), "‹secret pass›")
    equal(tostring(lull.secret { command = { "pass", "show", "github" } }), "‹secret pass›")
    equal(tostring(lull.secret { env = "A", name = "the\nkey›" }), "‹secret the key ›")
  end)

  it("joined with text or another one is a secret again", function()
    local secret, _ <close> = vault()
    equal(tostring("Bearer " .. secret), "Bearer " .. mask)
    equal(tostring(secret .. " " .. 7 .. secret), mask .. " 7" .. mask)
    equal(tostring(1.5 .. secret), "1.5" .. mask)
    raises("attempt to concatenate a nil value", function() return secret .. nil end)
    raises("attempt to concatenate a table value", function() return {} .. secret end)
    raises("concatenate", function() return secret .. lull.null end)
    raises("concatenate", function() return lull.service("https://x.test") .. secret end)
  end)

  it("has no length, no order, no fields and no methods of strings", function()
    local secret, _ <close> = vault()
    raises("length", function() return #secret end)
    raises("compare", function() return secret < secret end)
    raises("compare", function() return secret < "s" end)
    raises("no field 'upper'", function() return secret:upper() end)
    raises("no field 'text'", function() return secret.text end)
    raises("field", function() secret.text = "x" end)
    check(not pcall(string.len, secret))
    check(not pcall(string.format, "%q", secret))
    check(not pcall(table.concat, { secret }))
    check(secret ~= plain)
    check(getmetatable(secret) == false)
  end)

  it("has exactly one source that makes sense", function()
    raises("needs one of 'env', 'file', 'command'", function() lull.secret {} end)
    raises("one source", function() lull.secret { env = "A", file = "b" } end)
    raises("'env' must be a non-empty string", function() lull.secret { env = 7 } end)
    raises("'file' must be a non-empty string", function() lull.secret { file = "" } end)
    raises("not its value", function() lull.secret { env = "TOKEN=abc" } end)
    raises("list of strings", function() lull.secret { command = { {} } } end)
    raises("empty list", function() lull.secret { command = {} } end)
    raises("did you mean 'env'?", function() lull.secret { evn = "A" } end)
    raises("must be URLs", function() lull.secret { env = "A", origins = { "example.com" } } end)
    for _, key in ipairs { "env", "name", "command", "file" } do
      raises("'" .. key .. "' must be a non-empty string, got an empty string", function()
        lull.secret { [key] = "" }
      end)
      raises("'" .. key .. "' must be a string without zero bytes", function() lull.secret { [key] = "a\0" } end)
    end
    raises("table expected", function() lull.secret "TOKEN" end)
  end)
end)

describe("what is made of a secret", function()
  it("ENC-14 is one itself, and is sent as what it is of the text", function()
    local key, _ <close> = vault("the key")
    local other, _ <close> = vault("other")
    local made = {
      ["x-hex"] = lull.hmac("sha256", key, "body"),
      ["x-raw"] = lull.base64.encode(lull.hmac("sha1", lull.hmac("sha256", "AWS4" .. key, "date", { raw = true }),
        "body \255", { raw = true })),
      ["x-sum"] = "a=" .. lull.sha256(key .. ":" .. other) .. ";b=" .. lull.hmac("md5", "k", other),
      ["x-base64"] = lull.base64.encode(key),
    }
    for name, text in pairs(made) do
      contains(tostring(text), mask, name)
      excludes(tostring(text), "the key")
    end
    local got = assert(spec.demo { headers = made }("/echo"):load():await()).content.headers
    equal(got["x-hex"], lull.hmac("sha256", "the key", "body"))
    equal(got["x-raw"], lull.base64.encode(lull.hmac("sha1", lull.hmac("sha256", "AWS4the key", "date", { raw = true }),
      "body \255", { raw = true })))
    equal(got["x-sum"], "a=" .. lull.sha256("the key:other") .. ";b=" .. lull.hmac("md5", "k", "other"))
    equal(got["x-base64"], lull.base64.encode("the key"))
  end)

  it("ENC-14 signs in a mutation, where it stays a mask in the log", function()
    local key, _ <close> = vault("the key")
    local lines = {}
    lull.log.enabled = "all"
    lull.log.handler = function(_, message) lines[#lines + 1] = message end
    local got = assert(spec.demo()("/echo"):post({ text = "hello" }, function(http)
      http.headers["X-Signature"] = "sha256=" .. lull.hmac("sha256", key, http.body)
    end):await()).content.headers
    lull.log.enabled = {}
    local signature = lull.hmac("sha256", "the key", "hello")
    equal(got["x-signature"], "sha256=" .. signature)
    excludes(table.concat(lines, "\n"), signature)
  end)

  it("ENC-14 goes to its origins only", function()
    local _, other = origins()
    local key, _ <close> = vault("the key", { origins = {} })
    local api = lull.service { base_url = other, headers = { ["X-A"] = lull.hmac("sha256", key, "") } }
    reset()
    local service = spec.demo { headers = { ["X-A"] = lull.hmac("sha256", key, "") } }
    local _, err = service:resource_at(other .. "/echo"):load():await()
    equal(err.cause.kind, "secret_origin")
    equal(#received(), 0)
    check(api("/echo"):load():await())
  end)

  it("ENC-14 is refused where it could not be one", function()
    local key, _ <close> = vault("the key")
    raises("a Secret can only be encoded in the standard alphabet, with padding",
      function() lull.base64.encode(key, { url = true }) end)
    raises("string expected, got Secret", function() lull.base64.decode(key) end)
    raises("string expected, got Secret", function() lull.url.encode(key) end)
    raises("string expected, got Secret", function() lull.hmac(key, "", "") end)
    raises("string expected, got Secret", function() lull.csv.decode(key) end)
    raises("bad argument #2 to 'hmac' (string or Secret expected, got number)", function() lull.hmac("md5", 7, "") end)
    raises("bad argument #1 to 'sha256' (string or Secret expected, got nil)", function() lull.sha256(nil) end)
  end)
end)

describe("a secret is sent", function()
  it("in a configured header", function()
    local secret, _ <close> = vault()
    local api = spec.demo { headers = { Authorization = "Bearer " .. secret, ["X-Other"] = { "a", secret } } }
    local got = assert(api("/echo"):load():await()).content.headers
    equal(got.authorization, "Bearer " .. plain)
    contains(got["x-other"], plain)
  end)

  it("in a header that a configure function or a mutation sets", function()
    local secret, _ <close> = vault()
    local api = spec.demo()
    api:configure("/echo", function(config) config.headers["X-A"] = secret end)
    local seen
    local got = assert(api("/echo"):get(nil, function(http)
      http.headers["X-B"] = secret .. "b"
      seen = http.headers["x-a"] .. http.headers["x-b"] .. tostring(http.headers)
    end):await()).content.headers
    equal(got["x-a"], plain)
    equal(got["x-b"], plain .. "b")
    contains(seen, mask .. mask .. "b")
    excludes(seen, plain)
  end)

  it("in a query, by which the resource is known under its mask", function()
    local secret, _ <close> = vault()
    local api = spec.demo()
    local one = api("/echo"):with_param("key", secret)
    local resource = api("/echo"):with_params { b = 2, key = secret, a = "ü" }
    check(resource == one:with_params { a = "ü", b = 2 })
    check(resource:child("x"):with_param("b", nil) == one:child("x"):with_param("a", "ü"))
    check(resource:with_params { key = false, b = false } == api("/echo"):with_param("a", "ü"))
    equal(resource.url, api("/echo").url .. "?a=%C3%BC&b=2&key=" .. mask)
    local entity = assert(resource:load():await())
    same(entity.content.query, { a = "ü", b = "2", key = plain })
    equal(entity.url, resource.url)
    equal(resource:relative("other").url, api("/other").url)
  end)

  it("in a form and in JSON", function()
    local secret, _ <close> = vault()
    local api = spec.demo()
    local form = assert(api("/echo"):post { form = { user = "ann", password = secret .. "!" } }:await())
    equal(form.content.body, "password=s3cr3t%22%5C%20%26%3D%C3%BC%21&user=ann")
    equal(form.content.headers["content-type"], "application/x-www-form-urlencoded")
    local json = assert(api("/echo"):put { json = { a = { secret, "<" .. secret .. ">" }, b = 1 } }:await())
    same(json.content.json, { a = { plain, "<" .. plain .. ">" }, b = 1 })
    equal(assert(api("/echo"):post { json = secret }:await()).content.body, [["s3cr3t\"\\ &=ü"]])
  end)

  it("but text that looks like its mask is not replaced", function()
    local secret, _ <close> = vault()
    local api = spec.demo { headers = { ["X-A"] = secret, ["X-B"] = mask } }
    local resource = api("/echo"):with_params { key = mask, other = secret }
    local got = assert(resource:post { form = { a = mask, b = secret } }:await()).content
    equal(got.headers["x-a"], plain)
    equal(got.headers["x-b"], mask)
    equal(got.query.key, mask)
    equal(got.query.other, plain)
    contains(got.body, "%80%BA&b=s3cr3t")
    check(api("/echo"):with_param("key", mask) ~= api("/echo"):with_param("key", secret))
  end)

  it("and its mask is not taken for text by a mutation", function()
    local secret, _ <close> = vault()
    local api = spec.demo { headers = { ["X-A"] = "Bearer " .. secret } }
    local resource = api("/echo"):with_params { other = secret }
    local url = resource.url
    local got = assert(resource:post({ json = { k = secret } }, function(http)
      local body = http.body
      raises(mask .. "', which is only a placeholder", function() http.headers["X-C"] = http.headers["X-A"] end)
      raises(mask .. "', which is only a placeholder",
        function() http.headers["X-C"] = { "a", http.headers["X-A"] } end)
      raises("'body' contains", function() http.body = body .. " " end)
      raises("'url' contains", function() http.url = "https://a.test/?x=" .. mask end)
      raises("'url' contains", function() http.url = url .. "&z=" .. mask end)
      raises("must be a URL", function() http.url = url .. "&z=a b" end)
      http.body = body
      http.url = http.url .. "&z=1"
      http.url = http.url .. "#end"
      http.headers["X-D"] = secret .. "!"
      raises(mask .. "', which is only a placeholder", function() http.headers["X-E"] = http.headers["X-D"] end)
    end):await())
    equal(got.url, url .. "&z=1#end")
    got = got.content
    equal(got.headers["x-a"], "Bearer " .. plain)
    equal(got.headers["x-c"], nil)
    equal(got.headers["x-d"], plain .. "!")
    same(got.query, { other = plain, z = "1" })
    same(got.json, { k = plain })
  end)

  it("no more once something else stands in its place", function()
    local secret, _ <close> = vault()
    local api = spec.demo { headers = { ["X-A"] = secret } }
    local got = assert(api("/echo"):post({ form = { a = secret } }, function(http)
      http.headers["X-A"] = "plain"
      http.body = "b=1"
    end):await()).content
    equal(got.headers["x-a"], "plain")
    equal(got.body, "b=1")
  end)

  it("each by its own when two have the same name", function()
    local one, _ <close> = vault("first")
    local two, _ <close> = vault("second")
    local api = spec.demo()
    equal(assert(api("/echo"):with_param("k", one):load():await()).content.query.k, "first")
    equal(assert(api("/echo"):with_param("k", two):load():await()).content.query.k, "second")
    equal(assert(api("/echo"):with_param("k", one):load():await()).content.query.k, "first")
  end)

  it("with every request made of the first", function()
    local secret, _ <close> = vault()
    local api = spec.demo()
    local resource = api("/echo"):with_param("key", secret)
    assert(resource:load():await())
    local again = resource:request("GET"):repeated()
    again:start()
    equal(assert(again:await()).content.query.key, plain)
  end)
end)

describe("the source of a secret", function()
  it("is read by the transport, once, when it is needed first", function()
    local secret, guard <close> = vault("one\n")
    local api = spec.demo { headers = { ["X-A"] = secret } }
    local function sent() return assert(api("/echo"):get():await()).content.headers["x-a"] end
    equal(sent(), "one")
    local file = assert(io.open(guard.path, "w"))
    file:write("two")
    file:close()
    equal(sent(), "one")
  end)

  it("is a command that runs once for all who wait", function()
    local path = os.tmpname()
    local secret = lull.secret { command = ("echo run >>%s; sleep 0.1; echo 'pw x'"):format(path), name = "C" }
    local api = spec.demo { headers = { ["X-A"] = secret } }
    local requests = {}
    for i = 1, 5 do requests[i] = api("/echo"):get() end
    for _, entity in ipairs(assert(lull.all(requests))) do equal(entity.content.headers["x-a"], "pw x") end
    equal(lull.read_file(path), "run\n")
    os.remove(path)
  end)

  it("is a command of words, which gets nothing to read", function()
    local secret = lull.secret { command = { "sh", "-c", "cat; printf '%s' \"$1\"", "x", "a  b" } }
    local api = spec.demo { headers = { ["X-A"] = secret } }
    equal(assert(api("/echo"):get():await()).content.headers["x-a"], "a  b")
  end)

  it("that is missing fails the request before it is sent, and says what is missing", function()
    local api = spec.demo()
    reset()
    local cases = {
      { { env = "LULL_NO_SUCH" }, "‹secret LULL_NO_SUCH› is not available", "LULL_NO_SUCH is not set" },
      { { file = "/nowhere/key" }, "‹secret key›", "/nowhere/key", "No such file" },
      { { file = "/" , name = "root" }, "‹secret root›", "not a regular file" },
      { { file = "/dev/null", name = "null" }, "not a regular file" },
      { { command = "echo output-of-it; exit 3" }, "'echo output-of-it; exit 3'", "code 3" },
      -- Under valgrind one that cannot be run looks like one that has failed.
      { { command = { "lull-no-such-program" } }, "'lull-no-such-program'",
        spec.slowness == 1 and "cannot be run" or "" },
      { { command = "true" }, "'true' printed nothing" },
      { { command = "printf '\\377'" }, "UTF-8" },
    }
    for _, case in ipairs(cases) do
      local secret = lull.secret(case[1])
      local request = api("/echo"):get(nil, function(http) http.headers["X-A"] = secret end)
      local entity, err = request:await()
      equal(entity, nil)
      equal(err.cause.kind, "secret_unavailable")
      for i = 2, #case do contains(err.user_message, case[i]) end
    end
    local multiline, _ <close> = vault("a\nb")
    local _, err = api("/echo"):get(nil, function(http) http.headers["X-A"] = multiline end):await()
    equal(err.cause.kind, "secret_unavailable")
    contains(err.user_message, "line break")
    same(received(), {})
  end)

  it("that failed is tried again by the next request", function()
    local path = os.tmpname()
    os.remove(path)
    local api = spec.demo { headers = { ["X-A"] = lull.secret { file = path, name = "late" } } }
    equal(select(2, api("/echo"):get():await()).cause.kind, "secret_unavailable")
    assert(lull.write_file(path, "now"))
    equal(assert(api("/echo"):get():await()).content.headers["x-a"], "now")
    os.remove(path)
  end)

  it("is not waited for by a request that was cancelled", function()
    local secret = lull.secret { command = "sleep 0.2; echo x" }
    local api = spec.demo { headers = { ["X-A"] = secret } }
    local request, other = api("/echo"):get(), api("/echo"):get()
    lull.sleep(0.01)
    request:cancel()
    local _, err = request:await()
    equal(err.cause.kind, "request_cancelled")
    equal(assert(other:await()).content.headers["x-a"], "x")
  end)
end)

describe("a secret stays with its origin", function()
  it("and a request of the service to another one fails before sending", function()
    local secret, _ <close> = vault()
    local _, other = origins()
    reset()
    local api = spec.demo { headers = { ["X-A"] = secret } }
    local _, err = api:resource_at(other .. "/echo"):load():await()
    equal(err.cause.kind, "secret_origin")
    contains(err.user_message, mask)
    contains(err.user_message, "bound to " .. lull.demo())
    local bare = spec.demo()
    local function fails(request)
      local _, problem = request:await()
      equal(problem.cause.kind, "secret_origin")
    end
    fails(bare:resource_at(other .. "/echo"):with_param("key", secret):load())
    fails(bare:resource_at(other .. "/echo"):post { form = { a = secret } })
    fails(bare:resource_at(other .. "/echo"):post { json = { secret } })
    fails(bare("/echo"):get(nil, function(http)
      http.headers["X-A"] = secret
      http.url = other .. "/echo"
    end))
    fails(bare:resource_under(other, "/echo"):get(nil, function(http) http.headers.a = secret end))
    same(received(), {})
  end)

  it("unless it names the other one", function()
    local _, other = origins()
    local secret, _ <close> = vault(nil, { origins = { other .. "/whatever" } })
    local api = spec.demo { headers = { ["X-A"] = secret } }
    equal(assert(api:resource_at(other .. "/echo"):load():await()).content.headers["x-a"], plain)
    equal(assert(api("/echo"):load():await()).content.headers["x-a"], plain)
    local nowhere = lull.service { headers = { ["X-A"] = secret } }
    equal(assert(nowhere:resource_at(other .. "/echo"):load():await()).content.headers["x-a"], plain)
  end)

  it("and a service without one sends none that names none", function()
    local secret, _ <close> = vault()
    local nowhere = lull.service { headers = { ["X-A"] = secret } }
    local _, err = nowhere:resource_at(lull.demo() .. "/echo"):load():await()
    equal(err.cause.kind, "secret_origin")
    contains(err.user_message, "no base URL")
  end)

  it("also where a script stands in for the network", function()
    local secret, _ <close> = vault()
    local api, sent = spec.fake(spec.json "{}", { headers = { ["X-A"] = secret } })
    assert(api("/x"):with_param("key", secret):post({ json = { k = secret } }):await())
    equal(sent[1].headers["x-a"], mask)
    equal(sent[1].url, "https://api.test/v1/x?key=" .. mask)
    equal(sent[1].body, '{"k":"' .. mask .. '"}')
    equal(select(2, api:resource_at("https://other.test/"):load():await()).cause.kind, "secret_origin")
    equal(#sent, 1)
  end)
end)

describe("a redirect of a request with secrets", function()
  local function redirect(api, to, status, resource)
    return (resource or api("/redirect-to")):with_params { url = to, status = status or 302 }
  end

  it("within the origin takes them along", function()
    local secret, _ <close> = vault()
    local api = spec.demo { headers = { ["X-A"] = secret } }
    local entity = assert(api("/redirect/2"):load():await())
    equal(entity.content.headers["x-a"], plain)
    local kept = assert(redirect(api, "/echo", 307):post({ form = { p = secret } }):await())
    contains(kept.content.body, "p=s3cr3t")
  end)

  it("to another origin drops the headers and is followed", function()
    local secret, _ <close> = vault()
    local _, other = origins()
    local api = spec.demo { headers = { ["X-A"] = secret, Authorization = "Bearer " .. secret } }
    local entity = assert(redirect(api, other .. "/echo"):load():await())
    contains(entity.url, other)
    equal(entity.content.headers["x-a"], nil)
    equal(entity.content.headers.authorization, nil)
    reset()
    -- A body that a 303 drops.
    local dropped = assert(redirect(api, other .. "/echo", 303):post({ form = { p = secret } }):await())
    equal(dropped.content.body, "")
  end)

  it("to another origin fails if one would be sent there still", function()
    local secret, _ <close> = vault()
    local _, other = origins()
    local api = spec.demo()
    reset()
    local function fails(request, place)
      local entity, err = request:await()
      equal(entity, nil)
      equal(err.cause.kind, "secret_origin")
      contains(err.user_message, "redirects to")
      contains(err.user_message, place)
      excludes(err.user_message, "s3cr3t")
    end
    for _, status in ipairs { 307, 308 } do
      fails(redirect(api, other .. "/echo", status):post { form = { p = secret } }, "in the body")
      fails(redirect(api, other .. "/echo", status):put { json = { p = secret } }, "in the body")
    end
    local function with(name) return function(http) http.headers[name] = secret end end
    fails(redirect(api, other .. "/echo"):get(nil, with "Accept-Key"), "'accept-key'")
    fails(redirect(api, other .. "/echo"):get(nil, with "User-Agent"), "'user-agent'")
    fails(redirect(api, other .. "/echo", 307):post({ text = "x" }, with "Content-Key"), "'content-key'")
    -- The server puts it into the URL itself.
    local target = other .. "/echo?key=" .. plain:gsub("[^%w]", function(c) return ("%%%02x"):format(c:byte()) end)
    fails(redirect(api, target):get(nil, with "X-A"), "the URL")
    same(received(), {})
  end)

  it("shows the mask where the server has put one into the URL", function()
    local secret, _ <close> = vault("topsecret")
    local api = spec.demo { headers = { ["X-A"] = secret } }
    local lines = {}
    lull.log.enabled = { "network" }
    lull.log.handler = function(_, line) lines[#lines + 1] = line end
    local entity = assert(redirect(api, "/echo?a=1&key=topsecret&b=2"):load():await())
    same(entity.content.query, { a = "1", b = "2", key = "topsecret" })
    equal(entity.url, api("/echo").url .. "?a=1&key=" .. mask .. "&b=2")
    contains(lines[1], "-> " .. entity.url)
    local _, other = origins()
    local _, err = redirect(api, other .. "/echo?x=topsecret"):load():await()
    equal(err.cause.kind, "secret_origin")
    local _, broken = redirect(api, "mailto:topsecret"):load():await()
    excludes(broken.user_message, "topsecret")
    contains(broken.user_message, "mailto:" .. mask)
  end)
end)

describe("nothing shows a secret:", function()
  -- Everything a script can get hold of, as one text.
  local function look(...)
    local texts = {}
    for _, value in ipairs { ... } do
      texts[#texts + 1] = tostring(value)
      texts[#texts + 1] = lull.inspect(value)
      for _, field in ipairs { "url", "user_message", "headers", "cause" } do
        local ok, found = pcall(function() return value[field] end)
        if ok then
          texts[#texts + 1] = tostring(found)
          texts[#texts + 1] = lull.inspect(found)
          if field == "cause" and found then texts[#texts + 1] = tostring(found.message) end
        end
      end
    end
    return table.concat(texts, "\n")
  end

  it("not logs, errors, inspect, configurations, at all of their levels", function()
    local secret, _ <close> = vault("hunter2hunter2")
    local lines = {}
    lull.log.handler = function(category, line) lines[#lines + 1] = category .. ": " .. line end
    local seen = {}
    for _, level in ipairs { "all", "detailed", "common" } do
      lull.log.enabled = level
      -- Not /echo, which sends back what it gets.
      local api = spec.demo {
        headers = { Authorization = "Bearer " .. secret, ["X-A"] = secret },
        auth = lull.auth.basic("ann", secret),
      }
      local resource = api("/users"):with_param("key", secret)
      local request = resource:load()
      seen[#seen + 1] = look(request, resource, request:await())
      local sent = api("/missing"):with_param("key", secret):post { form = { p = secret } }
      seen[#seen + 1] = look(sent, select(2, sent:await()))
      local refused = lull.service {
        base_url = "http://127.0.0.1:1", headers = { ["X-A"] = secret }, auth = lull.auth.bearer(secret),
      }
      local _, err = refused("/x"):with_param("key", secret):put({ json = { secret } }):await()
      seen[#seen + 1] = look(err)
      contains(err.url, mask)
      seen[#seen + 1] = look(api:configuration_for(resource), api:configuration_for(resource).auth)
      local _, elsewhere = api:resource_at("http://127.0.0.1:2/"):with_param("k", secret):load():await()
      seen[#seen + 1] = look(elsewhere)
    end
    check(#lines > 20)
    local all = table.concat(lines, "\n") .. table.concat(seen, "\n")
    contains(all, mask)
    excludes(all, "hunter2")
    excludes(all, "aHVudGVyMg")
  end)

  it("not reports and tracebacks of a script that fails", function()
    local result = spec.script([[
      local lull = require "lull"
      local secret = lull.secret { env = "LULL_SPEC_SECRET" }
      lull.log.enabled = "all"
      local api = lull.service { base_url = lull.demo(), auth = lull.auth.bearer(secret) }
      local resource = api("/users"):with_param("key", secret)
      resource:observe(function() error("in an observer of " .. tostring(resource.url)) end)
      assert(resource:load():await())
      api("/users"):get(nil, function(http) error({ secret }) end):await()
      api("/users"):get(nil, function(http) error(secret) end):await()
      api:transform("/users", function() error(secret .. "x") end)
      api("/users"):load():await()
      lull.spawn(function() error(secret) end)
      lull.sleep(0.05)
      local function fails(secret, text) error(lull.error { user_message = tostring(secret), cause = secret }) end
      print("the last of them")
      fails(secret, "Bearer " .. secret)
    ]], { env = "LULL_SPEC_SECRET=hunter2hunter2" })
    check(result.code ~= 0)
    contains(result.out, "the last of them")
    contains(result.err, "in an observer of http://")
    contains(result.err, "‹secret LULL_SPEC_SECRET›")
    excludes(result.err .. result.out, "hunter2")
  end, { seconds = 15 })
end)

describe("pages of a resource with a secret in its query", function()
  it("keep it where the server has put it into the link to the next", function()
    local secret, _ <close> = vault("topsecret")
    local api = spec.fake(function(http)
      local page = tonumber(http.url:match("page=(%d)")) or 1
      local link = page < 3 and ("<?key=topsecret&page=%d>; rel=\"next\""):format(page + 1) or nil
      return spec.json("[1]", { Link = link })
    end)
    local urls = {}
    for _, page in api("/list"):with_param("key", secret):pages() do urls[#urls + 1] = page.url end
    same(urls, {
      "https://api.test/v1/list?key=" .. mask, "https://api.test/v1/list?key=" .. mask .. "&page=2",
      "https://api.test/v1/list?key=" .. mask .. "&page=3",
    })
  end)
end)

describe("a call of an API file", function()
  it("takes secrets in its headers, query and bodies, but not in its path", function()
    local secret, _ <close> = vault()
    local path = os.tmpname()
    os.remove(path)
    path = path .. ".lua"
    assert(lull.write_file(path, [[
      local lull = require "lull"
      return {
        service = lull.service(lull.demo()),
        calls = {
          find = { path = "/echo", params = { key = "string", q = "string" },
            headers = { ["X-A"] = "a " .. lull.secret{ command = "printf b", name = "B" } } },
          login = { path = "/echo", method = "POST", params = { password = "string", n = "integer" } },
          form = { path = "/echo", method = "POST", body = "form", params = { password = "string" } },
          one = { path = "/echo/{id}", method = "POST", params = { id = "string", list = "json" } },
        },
      }
    ]]))
    local calls = lull.api(path).calls
    local request = calls.find { key = secret, q = "x" }
    contains(request.url, "?key=" .. mask .. "&q=x")
    local found = assert(request:await()).content
    same(found.query, { key = plain, q = "x" })
    equal(found.headers["x-a"], "a b")
    same(assert(calls.login { password = secret, n = 1 }:await()).content.json, { password = plain, n = 1 })
    contains(assert(calls.form { password = secret }:await()).content.body, "password=s3cr3t%22")
    raises("is in the path and cannot be a secret", function() calls.one { id = secret } end)
    raises("only allowed in the body of a request", function() calls.one { id = "x", list = { secret } } end)
    os.remove(path)
  end)
end)
