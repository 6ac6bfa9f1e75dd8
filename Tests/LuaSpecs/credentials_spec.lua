-- Digests, netrc files, Amazon's signatures and sockets, against a server that looks at them.
local lull = require "lull"
local spec = ...
local describe, it, equal, check = spec.describe, spec.it, spec.equal, spec.check
local contains, excludes, raises = spec.contains, spec.excludes, spec.raises

-- The server takes it away when it ends.
local folder = spec.shell "mktemp -d"
local socket = folder .. "/server.sock"
local server = assert(io.popen("exec python3 Tests/LuaSpecs/credentials_server.py " .. folder))
local port, other_port = server:read("l"):match("(%d+) (%d+)")
local url, other = "http://127.0.0.1:" .. port, "http://127.0.0.1:" .. other_port

local function service(settings)
  -- It must not be collected while somebody asks.
  equal(io.type(server), "file")
  local all = { base_url = url }
  for name, value in pairs(settings or {}) do all[name] = value end
  return lull.service(all)
end

-- What the server has seen since it was last asked.
local function seen() return assert(service()("/seen"):get():await()).content end

local function schemes(requests)
  local words = {}
  for i, request in ipairs(requests) do words[i] = request.scheme == "" and "-" or request.scheme end
  return table.concat(words, " ")
end

local function write(name, text, mode)
  local path = folder .. "/" .. name
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  spec.shell(("chmod %s '%s'"):format(mode or "600", path))
  return path
end

local function fails(kind, part, request)
  local entity, problem = request:await()
  check(not entity, "it has not failed")
  equal(problem.cause.kind, kind)
  contains(tostring(problem), part)
  return problem
end

-- What the log says meanwhile.
local function logged(body)
  local lines = {}
  lull.log.enabled = "all"
  lull.log.handler = function(_, line) lines[#lines + 1] = line end
  local ok, problem = pcall(body)
  lull.log.enabled, lull.log.handler = {}, nil
  assert(ok, problem)
  return table.concat(lines, "\n")
end

describe("lull.auth.digest", function()
  local function digest() return lull.auth.digest("ann", "s3cr3t") end

  it("DIG-01 answers the first 401 by sending the request once more, and later ones at once", function()
    seen()
    local api = service { auth = digest() }
    local request = api("/digest/SHA-256/auth/99/a b?c=d&e"):get()
    equal(assert(request:await()).content.path, "/digest/SHA-256/auth/99/a%20b%3Fc=d&e")
    equal(#request.attempts, 2)
    request = api("/digest/SHA-256/auth/99/b"):with_params { q = "ü&=" }:get()
    assert(request:await())
    equal(#request.attempts, 1)
    local requests = seen()
    equal(schemes(requests), "- Digest Digest")
    equal(requests[2].count, "00000001")
    equal(requests[3].count, "00000002")
  end)

  it("DIG-02 of each algorithm, of bodies too", function()
    for _, algorithm in ipairs { "MD5", "SHA-256", "SHA-256-sess", "SHA-512-256" } do
      for _, qop in ipairs { "auth", "auth-int" } do
        local api = service { auth = digest() }
        local path = ("/digest/%s/%s/99/x"):format(algorithm, qop)
        for _, body in ipairs { "", "body", ("large"):rep(100000) } do
          equal(assert(api(path):post { data = body }:await()).content.length, #body)
        end
        assert(api(path):get():await())
        assert(api(path):delete():await())
      end
    end
  end)

  it("DIG-04 DIG-05 a nonce that is spent is replaced, each request having its number", function()
    local api = service { auth = digest() }
    local counts = {}
    for i = 1, 6 do
      local request = api("/digest/SHA-256/auth/2/x"):get()
      assert(request:await())
      counts[i] = #request.attempts
    end
    equal(table.concat(counts, " "), "2 1 2 1 2 1")
    local requests = {}
    for i = 1, 20 do requests[i] = api("/digest/MD5/auth/100/" .. i):get() end
    for _, request in ipairs(requests) do assert(request:await()) end
  end)

  it("DIG-05 a wrong password is told by the server's own 401", function()
    seen()
    local api = service { auth = lull.auth.digest("ann", "wrong") }
    for _ = 1, 2 do
      local request = api("/digest/SHA-256/auth/99/x"):get()
      local _, problem = request:await()
      equal(problem.http_status, 401)
      equal(#request.attempts, 2)
    end
    equal(schemes(seen()), "- Digest Digest Digest")
    local _, problem = service { auth = digest() } ("/renewed/x"):get():await()
    equal(problem.http_status, 401)
    equal(schemes(seen()), "-")
  end)

  it("DIG-08 a file is sent again whole, and not at all before it is asked for", function()
    local text = ("0123456789abcdef"):rep(1 << 16)
    local file = lull.file(write("upload", text))
    for _, qop in ipairs { "auth", "auth-int" } do
      local api = service { auth = digest() }
      seen()
      local request = api("/digest/SHA-256/" .. qop .. "/99/x"):put(file)
      local content = assert(request:await()).content
      equal(content.length, #text)
      equal(content.sha256, lull.sha256(text))
      local requests = seen()
      equal(#requests, 2)
      equal(requests[1].length, 0)
      -- The second time it is known what is asked.
      equal(assert(api("/digest/SHA-256/" .. qop .. "/99/y"):put(file):await()).content.sha256, lull.sha256(text))
      equal(#seen(), 1)
    end
  end)

  it("DIG-04 a redirect within the origin is answered for itself", function()
    local api = service { auth = digest() }
    assert(api("/digest/SHA-256/auth/99/a"):get():await())
    seen()
    local target = "/to/307?/digest/SHA-256/auth/99/b"
    equal(assert(api:resource_at(url .. target):put { data = "body" }:await()).content.text, "body")
    local requests = seen()
    equal(requests[1].count, "00000002")
    equal(requests[2].count, "00000003")
    equal(requests[2].path, "/digest/SHA-256/auth/99/b")
  end)

  it("DIG-06 another origin is answered nothing, and its challenges are none", function()
    local api = service { auth = digest() }
    assert(api("/digest/SHA-256/auth/99/a"):get():await())
    seen()
    local _, problem = api:resource_at(url .. "/to/302?" .. other .. "/digest/SHA-256/auth/99/b"):get():await()
    equal(problem.http_status, 401)
    equal(schemes(seen()), "Digest -")
    fails("secret_origin", "the signature is not sent to", api:resource_at(other .. "/digest/SHA-256/auth/99/b"):get())
  end)

  it("DIG-07 shows neither password nor answer, and takes secrets", function()
    local user = lull.secret { command = "printf ann" }
    local auth = lull.auth.digest(user, lull.secret { command = "printf s3cr3t", name = "PW" })
    equal(tostring(auth), "Auth(authorization: Digest ‹secret PW›)")
    local api = service { auth = auth }
    local text = logged(function()
      assert(api("/digest/SHA-256/auth/99/a"):get():await())
      assert(api("/digest/SHA-256/auth/99/a"):get():await())
    end)
    excludes(text, "s3cr3t")
    excludes(text, "response=")
    contains(text, "got 401: it is sent again")
    equal(api:configuration_for("/x").auth, "authorization: Digest ‹secret PW›")
    fails("secret_unavailable", "‹secret GONE› is not available",
      service { auth = lull.auth.digest("ann", lull.secret { env = "LULL_NOT_THERE", name = "GONE" }) } (
        "/digest/SHA-256/auth/99/a"):get())
    raises("string or Secret expected", function() lull.auth.digest(7, "x") end)
    raises("Secret or string expected", function() lull.auth.digest("ann", "") end)
    raises("not valid UTF-8", function() lull.auth.digest("\xff", "x") end)
  end)

  it("lets a header of the request stand", function()
    local api = service { auth = digest() }
    local content = assert(api("/echo"):get(nil, { headers = { Authorization = "own" } }):await()).content
    equal(content.headers.authorization, "own")
  end)
end)

describe("lull.auth.netrc", function()
  local function with(text, options, mode)
    local all = { path = write("netrc", text, mode) }
    for name, value in pairs(options or {}) do all[name] = value end
    return service { auth = lull.auth.netrc(all) }
  end

  local function sent(api) return assert(api("/echo"):get():await()).content.headers.authorization end

  it("NETRC-01 the login of the host that is asked", function()
    local text = 'machine example.com login eve password evil\nmachine 127.0.0.1 login ann password "a \\"b\\" c"\n'
    equal(sent(with(text)), "Basic " .. lull.base64.encode 'ann:a "b" c')
    text = "machine 127.0.0.1 login ann password one\nmachine 127.0.0.1 login bob password two\n"
    equal(sent(with(text, { login = "bob" })), "Basic " .. lull.base64.encode "bob:two")
    equal(sent(with("default login any password p")), "Basic " .. lull.base64.encode "any:p")
  end)

  it("NETRC-03 what NETRC names, else ~/.netrc, read when it is needed and when it has changed", function()
    local script = ([[
      local lull = require "lull"
      local api = lull.service{ base_url = "%s", auth = lull.auth.netrc() }
      print(assert(api("/echo"):get():await()).content.headers.authorization)
    ]]):format(url)
    write(".netrc", "machine 127.0.0.1 login home password p")
    local other_file = write("other", "machine 127.0.0.1 login other password p")
    local run = spec.script(script, { env = "-u NETRC HOME=" .. folder })
    equal(run.out, "Basic " .. lull.base64.encode "home:p" .. "\n", run.err)
    run = spec.script(script, { env = "HOME=" .. folder .. " NETRC=" .. other_file })
    equal(run.out, "Basic " .. lull.base64.encode "other:p" .. "\n", run.err)
    local api = with("machine 127.0.0.1 login a password b")
    equal(sent(api), "Basic " .. lull.base64.encode "a:b")
    write("netrc", "machine 127.0.0.1 login changed password longer")
    equal(sent(api), "Basic " .. lull.base64.encode "changed:longer")
  end)

  it("NETRC-04 without a login the request fails, unless that is allowed", function()
    local text = "machine example.com login eve password evil"
    fails("secret_unavailable", "has no login for 127.0.0.1 (set optional = true to send requests without a login)",
      with(text)("/echo"):get())
    equal(sent(with(text, { optional = true })), nil)
    fails("secret_unavailable", "with the name 'x'",
      with("machine 127.0.0.1 login a password b", { login = "x" })("/echo"):get())
    local gone = folder .. "/gone"
    fails("secret_unavailable", gone .. " does not exist",
      service { auth = lull.auth.netrc { path = gone } } ("/echo"):get())
    equal(sent(service { auth = lull.auth.netrc { path = gone, optional = true } }), nil)
  end)

  it("NETRC-02 NETRC-05 a file that is no good is told by what is wrong with it, and shows nothing", function()
    local api = with("machine 127.0.0.1 login ann password hunter2", nil, "644")
    local problem = fails("secret_unavailable", "can be read by other users, and is not used: run chmod 600 on it",
      api("/echo"):get())
    excludes(tostring(problem), "hunter2")
    problem = fails("secret_unavailable", "netrc, line 2: expected 'machine', found another word",
      with("machine 127.0.0.1 login ann\npassword hunter2 oops")("/echo"):get())
    excludes(tostring(problem), "oops")
    fails("secret_unavailable", "is not a regular file",
      service { auth = lull.auth.netrc { path = folder } } ("/echo"):get())
    fails("secret_unavailable", "a login name with a colon",
      with("machine 127.0.0.1 login a:b password c")("/echo"):get())
    fails("secret_unavailable", "no login name", with("machine 127.0.0.1 password c")("/echo"):get())
    raises("unknown setting 'file'", function() lull.auth.netrc { file = "x" } end)
    raises("'path'", function() lull.auth.netrc { path = "" } end)
    raises("'optional'", function() lull.auth.netrc { optional = 1 } end)
  end)

  it("NETRC-05 the password is masked, and goes to no other origin", function()
    local api = with("machine 127.0.0.1 login ann password hunter2")
    contains(tostring(lull.auth.netrc()), "authorization: Basic ‹netrc ~/.netrc›")
    local text = logged(function() sent(api) end)
    excludes(text, "hunter2")
    excludes(text, lull.base64.encode "ann:hunter2")
    contains(api:configuration_for("/x").auth, "Basic ‹netrc " .. folder)
    seen()
    assert(api:resource_at(url .. "/to/302?" .. other .. "/echo"):get():await())
    equal(schemes(seen()), "Basic -")
    fails("secret_origin", "‹secret netrc 127.0.0.1›", api:resource_at(other .. "/echo"):get())
    -- A service without a home asks each host with its own login, and none with that of all others.
    local homeless = lull.service { auth = lull.auth.netrc { path = folder .. "/netrc" } }
    equal(assert(homeless:resource_at(other .. "/echo"):get():await()).content.headers.authorization,
      "Basic " .. lull.base64.encode "ann:hunter2")
    write("netrc", "default login all password x")
    fails("secret_origin", "‹secret netrc 127.0.0.1›", homeless:resource_at(other .. "/echo"):get())
  end)
end)

describe("lull.auth.aws_sigv4", function()
  local function aws(options)
    local all = { access_key = "AKIDEXAMPLE", secret_key = "hunter2", service = "s3", region = "eu-central-1" }
    for name, value in pairs(options or {}) do all[name] = value or nil end
    return lull.auth.aws_sigv4(all)
  end

  it("AWS-01 AWS-04 signs each request, and says what its body is", function()
    local api = service { auth = aws() }
    local headers = assert(api("/echo"):put { data = "abc" }:await()).content.headers
    contains(headers.authorization, "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
    contains(headers.authorization, "/eu-central-1/s3/aws4_request, SignedHeaders=content-type;host;"
      .. "x-amz-content-sha256;x-amz-date")
    equal(headers["x-amz-content-sha256"], lull.sha256 "abc")
    local text = ("x"):rep(1 << 20)
    local file = lull.file(write("upload", text))
    headers = assert(api("/echo"):put(file):await()).content.headers
    equal(headers["x-amz-content-sha256"], lull.sha256(text))
    headers = assert(api("/echo"):put { data = text }:await()).content.headers
    equal(headers["x-amz-content-sha256"], lull.sha256(text))
    headers = assert(service { auth = aws { unsigned_payload = true } } ("/echo"):put(file):await()).content.headers
    equal(headers["x-amz-content-sha256"], "UNSIGNED-PAYLOAD")
    headers = assert(service { auth = aws { service = "sqs" } } ("/echo"):put { data = "abc" }:await()).content.headers
    equal(headers["x-amz-content-sha256"], nil)
  end)

  it("AWS-05 signs by the server's clock where it is another one", function()
    local api = service { auth = aws() }
    for _, seconds in ipairs { "3600", "-86400" } do
      local request = api("/skew/" .. seconds .. "/x"):get()
      assert(request:await())
      equal(#request.attempts, 2)
    end
    local request = api("/skew/-86400/y"):get()
    assert(request:await())
    equal(#request.attempts, 1)
  end)

  it("AWS-06 a host that does not say what it is needs words", function()
    fails("auth_failed", "pass 'service' and 'region'", service { auth = aws { service = false } } ("/echo"):get())
    fails("auth_failed", "the host 127.0.0.1 does not name", service { auth = aws { region = false } } ("/echo"):get())
  end)

  it("AWS-07 a redirect within the origin is signed anew, and none goes along to another", function()
    local api = service { auth = aws { session_token = "t0ken" } }
    seen()
    local here = assert(api:resource_at(url .. "/to/307?/echo/b"):put { data = "x" }:await()).content.headers
    contains(here.authorization, "x-amz-security-token")
    local there = assert(api:resource_at(url .. "/to/302?" .. other .. "/echo"):get():await()).content.headers
    for name in pairs(there) do excludes(name, "amz") end
    equal(schemes(seen()), "AWS4-HMAC-SHA256 AWS4-HMAC-SHA256 AWS4-HMAC-SHA256 -")
    fails("secret_origin", "is not sent to " .. other, api:resource_at(other .. "/echo"):get())
  end)

  it("AWS-08 takes its keys from the environment only if that is said", function()
    local script = [[
      local lull = require "lull"
      local api = lull.service{ base_url = "%s", auth = lull.auth.aws_sigv4{ %s } }
      local entity, problem = api("/echo"):get():await()
      print(entity and entity.content.headers.authorization or problem)
      print(entity and entity.content.headers["x-amz-security-token"])
    ]]
    local env = "AWS_ACCESS_KEY_ID=AK AWS_SECRET_ACCESS_KEY=hunter2 AWS_SESSION_TOKEN=tok AWS_DEFAULT_REGION=eu-west-1"
    local run = spec.script(script:format(url, "env = true, service = 's3'"), { env = env })
    contains(run.out, "Credential=AK/")
    contains(run.out, "/eu-west-1/s3/")
    contains(run.out, "\ntok\n")
    run = spec.script(script:format(url, "env = true, service = 's3', region = 'x'"), {
      env = "-u AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY=hunter2" })
    contains(run.out, "the environment variable AWS_ACCESS_KEY_ID is not set")
    excludes(run.out, "hunter2")
    run = spec.script(script:format(url, "service = 's3'"), { env = env })
    contains(run.err, "'access_key' is required, or env = true to read it from the environment")
    raises("either env = true or 'access_key', not both", function()
      lull.auth.aws_sigv4 { env = true, access_key = "x" }
    end)
  end)

  it("AWS-09 shows nothing of its keys, and takes secrets", function()
    local auth = aws {
      access_key = lull.secret { command = "printf AKID" },
      secret_key = lull.secret { command = "printf hunter2", name = "SK" },
    }
    equal(tostring(auth), "Auth(authorization: AWS4-HMAC-SHA256 ‹secret SK›)")
    local api = service { auth = auth }
    local text = logged(function()
      contains(assert(api("/echo"):get():await()).content.headers.authorization, "Credential=AKID/")
    end)
    excludes(text, "hunter2")
    excludes(text, "Signature=")
    equal(api:configuration_for("/x").auth, "authorization: AWS4-HMAC-SHA256 ‹secret SK›")
    fails("secret_unavailable", "‹secret NL› is not an access key",
      service { auth = aws { access_key = lull.secret { command = "printf 'a\\nb'", name = "NL" } } } ("/echo"):get())
    raises("'secret_key' is required", function() lull.auth.aws_sigv4 { access_key = "x" } end)
    raises("'region' must be made of letters", function() lull.auth.aws_sigv4 { region = "eu/central" } end)
    raises("did you mean 'secret_key'?", function() lull.auth.aws_sigv4 { secretkey = "x" } end)
    raises("'secret_key' must be a Secret or a string", function() lull.auth.aws_sigv4 { secret_key = 7 } end)
  end)
end)

describe("unix_socket", function()
  it("SOCK-07 is asked where --allow-host says unix: and its path", function()
    if spec.is_stock then return end
    local place, guard <close> = spec.temporary_folder()
    assert(lull.write_file(place .. "/s.lua", ([[
      local api = require "lull".service { base_url = "http://localhost", unix_socket = %q }
      local entity, problem = api("/echo"):get():await()
      print(entity and entity.content.path or problem.user_message)
    ]]):format(socket)))
    local function run(options)
      return spec.shell(("%s run %s %s/s.lua 2>&1"):format(spec.interpreter(), options, place))
    end
    equal(run("--allow-host unix:" .. socket), "/echo")
    for _, others in ipairs { "'*'", "localhost", "unix:/run/other.sock" } do
      excludes(run("--allow-host " .. others), "/echo")
    end
    contains(run "--allow-host localhost", socket)
    spec.check(guard)
  end)

  it("SOCK-01 the service is asked through it, whatever host its URL names", function()
    local api = lull.service { base_url = "http://docker/v1", unix_socket = socket }
    local content = assert(api("/echo"):post { data = "body" }:await()).content
    equal(content.path, "/v1/echo")
    equal(content.headers.host, "docker")
    equal(content.text, "body")
    equal(api:configuration_for("/x").unix_socket, socket)
    local file = lull.file(write("upload", ("x"):rep(300000)))
    equal(assert(api("/echo"):put(file):await()).content.length, 300000)
  end)

  it("SOCK-02 a pattern may have it, or not", function()
    local api = service()
    api:configure("/through/**", { unix_socket = socket })
    api:configure("/through/not/**", { unix_socket = false })
    for path, host in pairs { ["/a"] = true, ["/through/a"] = true, ["/through/not/a"] = true } do
      equal(assert(api(path):get():await()).content.headers.host ~= nil, host)
    end
    api = lull.service { base_url = "http://nowhere.invalid" }
    api:configure("/through/**", { unix_socket = socket })
    assert(api("/through/a"):get():await())
    fails("dns", "cannot resolve", api("/a"):get())
  end)

  it("SOCK-03 another origin is not asked through it, and a redirect to one goes by the network", function()
    local api = lull.service { base_url = "http://localhost", unix_socket = socket }
    fails("connection", "is not requested through the unix_socket of http://localhost",
      api:resource_at(url .. "/echo"):get())
    seen()
    local away = "http://localhost/to/307?" .. url .. "/echo"
    local content = assert(api:resource_at(away):put { data = "x" }:await()).content
    equal(content.headers.host, url:sub(8))
    equal(assert(api:resource_at("http://localhost/to/302?/echo/b"):get():await()).content.headers.host, "localhost")
    local text = logged(function() assert(api:resource_at(away):get():await()) end)
    contains(text, "dropped unix_socket")
  end)

  it("SOCK-04 what is not there is told with its path", function()
    local function at(path) return lull.service { base_url = "http://localhost", unix_socket = path } ("/x"):get() end
    fails("connection", ("cannot connect to localhost at the socket %s/gone"):format(folder), at(folder .. "/gone"))
    contains(tostring(select(2, at(folder .. "/gone"):await())), "no such file")
    contains(tostring(select(2, at(write("file", "")):await())), "connection refused")
    contains(tostring(select(2, at(folder):await())), "connection refused")
    local long = ("/x"):rep(53)
    fails("connection", "no such file", at(long .. "y"))
    raises("'unix_socket' must be a path of 107 bytes at most, got 108", function()
      lull.service { unix_socket = long .. "yz" }
    end)
    raises("'unix_socket' must be the path of a socket, or false", function() lull.service { unix_socket = "" } end)
    raises("'unix_socket' must be the path of a socket, or false", function() lull.service { unix_socket = 7 } end)
    raises("'unix_socket'", function() lull.service { unix_socket = "\xff" } end)
    raises("'unix_socket'", function() lull.service { unix_socket = "a\0b" } end)
  end)

  it("SOCK-05 there is one way only", function()
    fails("connection", "unix_socket and proxy cannot be combined",
      lull.service { base_url = "http://localhost", unix_socket = socket, proxy = "http://127.0.0.1:9" } ("/x"):get())
    fails("connection", "unix_socket and resolve cannot be combined",
      lull.service {
        base_url = "http://localhost", unix_socket = socket, resolve = { ["localhost:80"] = "127.0.0.1" },
      } ("/x"):get())
    assert(lull.service { base_url = "http://localhost", unix_socket = socket, proxy = false } ("/x"):get():await())
    local script = ([[
      local lull = require "lull"
      assert(lull.service{ base_url = "http://localhost", unix_socket = "%s" }("/x"):get():await())
    ]]):format(socket)
    local run = spec.script(script, { env = "http_proxy=http://127.0.0.1:9 all_proxy=http://127.0.0.1:9" })
    equal(run.err, "")
  end)

  it("SOCK-06 credentials go through it, unencrypted without a warning", function()
    local script = ([[
      local lull = require "lull"
      local api = lull.service{ base_url = "http://docker", unix_socket = "%s", auth = lull.auth.bearer("t0ken") }
      print(assert(api("/x"):get():await()).content.headers.authorization)
      api:configure{ auth = lull.auth.digest("ann", "s3cr3t") }
      assert(api("/digest/SHA-256/auth-int/9/x"):put{ data = "x" }:await())
    ]]):format(socket)
    local run = spec.script(script)
    equal(run.err, "")
    equal(run.out, "Bearer t0ken\n")
  end)
end)

describe("a body that is read while it is sent", function()
  it("BODY-15 is sent again whole after a 401 that has brought other credentials", function()
    local api = service {
      auth = lull.auth.oauth2_client_credentials {
        token_url = lull.demo() .. "/oauth/token", client_id = "lull", client_secret = "s3cr3t",
      },
    }
    local text = ("0123456789"):rep(100000)
    local path = write("upload", text)
    for i, body in ipairs { lull.file(path), lull.multipart { a = "b", file = lull.file(path) } } do
      seen()
      local request = api("/renewed/" .. i):put(body)
      local content = assert(request:await()).content
      equal(#request.attempts, 2)
      local requests = seen()
      equal(requests[1].length, requests[2].length)
      equal(content.length, requests[1].length)
      if i == 1 then equal(content.sha256, lull.sha256(text)) end
    end
  end)
end)

describe("the server of these", function()
  it("ends", function()
    assert(service()("/quit"):get():await())
    check(server:close())
  end)
end)
