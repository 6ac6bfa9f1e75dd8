-- Settings of the network proper: timings, redirects, cookies, TLS, proxies, against the sample API.
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, raises = spec.contains, spec.raises

describe("record_timings", function()
  it("tells the parts of an exchange, of responses, entities and errors", function()
    local service = spec.demo { record_timings = true }
    local request = service("/echo"):load()
    local entity = assert(request:await())
    local timings = request.response.timings
    same(entity.timings, timings)
    check(timings.first_byte > 0)
    check(timings.total >= timings.dns + timings.connect + timings.first_byte)
    check(timings.tls == 0)
    equal(timings.http_version, "1.1")
    equal(timings.redirect_count, 0)
    contains(timings.remote_address, "127.0.0.1:")
    local again = assert(service("/redirect/2"):load():await()).timings
    equal(again.is_reused, true)
    check(again.connect == 0)
    equal(again.redirect_count, 2)
    local _, err = service("/status/404"):load():await()
    check(err.timings.total > 0)
  end)

  it("tells nothing unless it is set, and can be set by pattern", function()
    local service = spec.demo()
    service:configure("/echo", { record_timings = true })
    equal(assert(service("/text"):load():await()).timings, nil)
    check(assert(service("/echo"):load():await()).timings)
    equal(service:configuration_for(service("/echo")).record_timings, true)
    equal(service:configuration_for(service("/text")).record_timings, false)
  end)

  it("is true or false", function()
    raises("'record_timings' must be true or false, got 1", function()
      lull.service { record_timings = 1 }
    end)
  end)
end)

describe("redirects", function()
  it("as a number is the most that are followed", function()
    local service = spec.demo { redirects = 2 }
    check(service("/redirect/2"):load():await())
    local _, err = service("/redirect/3"):load():await()
    equal(err.cause.kind, "too_many_redirects")
    contains(err.cause.message, "more than 2 times")
    _, err = spec.demo { redirects = 0 }("/redirect/1"):load():await()
    equal(err.cause.kind, "too_many_redirects")
  end)

  it("as false are answers, with status and headers", function()
    local service = spec.demo()
    service:configure("/redirect/**", { redirects = false })
    local entity = assert(service("/redirect/2"):load():await())
    equal(entity.http_status, 302)
    equal(entity:header("location"), "/redirect/1")
    equal(entity.url, service("/redirect/2").url)
  end)

  it("of the same origin fail clearly when they leave it", function()
    local service = spec.demo { redirects = "same_origin" }
    check(service("/redirect/2"):load():await())
    local _, err = service("/redirect-other"):load():await()
    equal(err.cause.kind, "redirect_refused")
    contains(err.cause.message, "redirects to another origin, http://127.0.0.1:")
    contains(err.cause.message, "same_origin")
  end)
end)

describe("cookies", function()
  -- What the server sees of them.
  local function seen(service, path)
    return assert(service(path or "/echo"):get():await()).content.headers.cookie
  end
  local function set(service, cookie)
    assert(service("/headers"):with_param("set-cookie", cookie):get():await())
  end

  it("are neither kept nor sent unless asked for", function()
    local service = spec.demo()
    set(service, "a=1; Path=/")
    equal(seen(service), nil)
  end)

  it("are kept by one service, and no other", function()
    local service, other = spec.demo { cookies = true }, spec.demo { cookies = true }
    set(service, "a=1; Path=/")
    equal(seen(service), "a=1")
    equal(seen(other), nil)
    set(service, "a=2; Path=/")
    equal(seen(service), "a=2")
    set(service, "a=; Path=/; Max-Age=0")
    equal(seen(service), nil)
  end)

  it("can be turned off by pattern, and stand beside those of a header", function()
    local service = spec.demo { cookies = true, headers = { Cookie = "own=1" } }
    set(service, "a=1; Path=/")
    equal(seen(service), "a=1; own=1")
    service:configure("/echo", { cookies = false })
    equal(service:configuration_for(service("/echo")).cookies, false)
    equal(service:configuration_for(service("/text")).cookies, true)
    equal(seen(service), "own=1")
  end)

  it("set by a redirect are sent to where it leads, by path", function()
    local service = spec.demo { cookies = true }
    set(service, "deep=1; Path=/redirect")
    equal(seen(service, "/echo"), nil)
    set(service, "all=1; Path=/")
    equal(seen(service, "/redirect/2"), "all=1")
  end)

  it("in a file outlive the service, for nobody else to read", function()
    local path = os.tmpname()
    os.remove(path)
    local service = spec.demo { cookies = path }
    set(service, "a=1; Path=/; Max-Age=1000")
    equal(seen(service), "a=1")
    local text = assert(lull.read_file(path))
    contains(text, "# Netscape HTTP Cookie File")
    contains(text, "127.0.0.1\tFALSE\t/\tFALSE\t")
    local mode = io.popen("stat -c %a " .. path):read("a")
    equal(mode, "600\n")
    equal(service:configuration_for(service("/echo")).cookies, path)
    os.remove(path)
  end)

  it("COOK-160 in a file of another user are left alone, and the request fails", function()
    -- Only root can make one.
    if spec.shell("id -u") ~= "0" then return end
    local path = os.tmpname()
    lull.write_file(path, "127.0.0.1\tFALSE\t/\tFALSE\t0\ttoken\tx\n")
    spec.shell("chown 65534 " .. path)
    local before = spec.shell("stat -c '%i %u %a %Y' " .. path)
    local _, err = spec.demo { cookies = path }("/echo"):load():await()
    contains(err.cause.message, "belongs to another user")
    equal(spec.shell("stat -c '%i %u %a %Y' " .. path), before)
    os.remove(path)
  end)

  it("in a file that is there are sent from the start", function()
    local path = os.tmpname()
    lull.write_file(path, "# a comment\n127.0.0.1\tFALSE\t/\tFALSE\t0\ttoken\tx\n"
      .. "#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tquiet\ty\nnonsense\n")
    local text = seen(spec.demo { cookies = path })
    contains(text, "token=x")
    contains(text, "quiet=y")
    os.remove(path)
  end)

  it("in a file that cannot be read or written fail the request", function()
    local _, err = spec.demo { cookies = "/nowhere/cookies" }("/echo"):load():await()
    equal(err.cause.kind, "network")
    equal(err.cause.message, "cookies: cannot write '/nowhere/cookies' (no such file or directory)")
    _, err = spec.demo { cookies = "/" }("/echo"):load():await()
    equal(err.cause.message, "cookies: '/' is not a regular file")
  end)
end)

describe("a proxy", function()
  it("that is not there is named, its password is not", function()
    local service = lull.service { base_url = "http://x.invalid", proxy = "http://me:pa55@127.0.0.1:1" }
    local _, err = service("/"):load():await()
    equal(err.cause.kind, "connection")
    equal(err.cause.message,
      "cannot connect to the proxy 127.0.0.1:1 for x.invalid (connection refused)")
    equal(service:configuration_for(service("/")).proxy, "http://127.0.0.1:1")
    _, err = lull.service { base_url = "http://127.0.0.1", proxy = "http://p.invalid:1" }("/"):load():await()
    equal(err.cause.message, "cannot resolve the proxy p.invalid:1 for 127.0.0.1")
  end)

  it("is asked for what it is to fetch, except for hosts without one", function()
    -- The sample API is not a proxy, but it answers: that it is another host.
    local service = lull.service { base_url = "http://x.invalid", proxy = lull.demo() }
    local _, err = service("/echo"):load():await()
    equal(err.http_status, 421)
    service:configure("/text", { no_proxy = { "y.invalid", ".invalid" } })
    _, err = service("/text"):load():await()
    equal(err.cause.kind, "dns")
  end)
end)

describe("resolve", function()
  it("says where to connect to, and the URL stays what it is", function()
    local port = lull.demo():match(":(%d+)")
    local service = lull.service {
      base_url = "http://localhost:81",
      resolve = { ["LocalHost:81"] = "127.0.0.1:" .. port, ["API.invalid:81"] = "127.0.0.1:" .. port },
    }
    local entity = assert(service("/echo"):load():await())
    equal(entity.content.headers.host, "localhost:81")
    equal(entity.url, "http://localhost:81/echo")
    -- The sample API answers for its own names alone.
    local _, err = service:resource_at("http://api.invalid:81/"):load():await()
    equal(err.http_status, 421)
    _, err = service:resource_at("http://api.invalid:82/"):load():await()
    equal(err.cause.kind, "dns")
  end)

  it("names the address that does not answer", function()
    local service = lull.service {
      base_url = "http://api.invalid", resolve = { ["api.invalid:80"] = "127.0.0.1:1" },
    }
    local _, err = service("/"):load():await()
    equal(err.cause.message, "cannot connect to api.invalid at 127.0.0.1:1 (connection refused)")
  end)
end)

describe("first_byte_timeout and idle_timeout", function()
  it("end an exchange that stands still", function()
    local service = spec.demo()
    service:configure("/slow", { first_byte_timeout = 0.1 })
    local _, err = service("/slow"):with_param("seconds", 5):load():await()
    equal(err.cause.kind, "timeout")
    contains(err.cause.message, "no byte of a response from 127.0.0.1:")
    contains(err.cause.message, "within 0.1 s (first_byte_timeout)")
    service:configure("/slow", { first_byte_timeout = false, idle_timeout = 0.1 })
    _, err = service("/slow"):with_param("seconds", 5):load():await()
    contains(err.cause.message, "for 0.1 s (idle_timeout)")
    service:configure("/slow", { idle_timeout = false })
    check(service("/slow"):with_param("seconds", 0.2):load():await())
  end)
end)

describe("network settings", function()
  it("that do not fit raise, naming what would", function()
    local wrong = {
      { "ca_file", 1, "'ca_file' must be the name of a file, or false, got 1" },
      { "insecure", "yes", "'insecure' must be true or false, got" },
      { "client_cert", "", "'client_cert' must be the name of a file, or false, got" },
      { "client_key", {}, "'client_key' must be the name of a file, or false, got" },
      { "proxy", "host:80", "'proxy' must be false or a URL such as \"http://host:3128\"" },
      { "proxy", "ftp://host", "'proxy' must be false or a URL such as" },
      { "proxy", "http://127.0.0.1:2/@localhost:1", "'proxy' must be false or a URL such as" },
      { "proxy", "http://127.0.0.1:2?@localhost:1", "'proxy' must be false or a URL such as" },
      { "proxy", "http://127.0.0.1:2#@localhost:1", "'proxy' must be false or a URL such as" },
      { "proxy", "http:///127.0.0.1:2@localhost:1", "'proxy' must be false or a URL such as" },
      { "proxy", "http://127.0.0.1:2\\@localhost:1", "'proxy' must be false or a URL such as" },
      { "proxy", "http://[localhost:1]:2", "'proxy' must be false or a URL such as" },
      { "proxy", "http://ü..example", "'proxy' must be false or a URL such as" },
      { "no_proxy", { 1 }, "'no_proxy' must be a string such as" },
      { "resolve", { ["host"] = "1.2.3.4" }, "which is not host:port" },
      { "resolve", { ["host:1"] = true }, "'resolve' must be a table such as" },
      { "resolve", { ["host:1"] = "[localhost:2]" }, "'resolve' must be a table such as" },
      { "resolve", { ["host:1"] = "a%00b" }, "'resolve' must be a table such as" },
      { "http_version", 2, "'http_version' must be \"1.1\", \"2\", \"3\" or false, got 2" },
      { "first_byte_timeout", 0, "'first_byte_timeout' must be a number of seconds above 0, or false" },
      { "idle_timeout", "1s", "'idle_timeout' must be a number of seconds above 0, or false" },
      { "redirects", true, "'redirects' must be a whole number from 0 to 100, false, or \"same_origin\"" },
      { "redirects", 1.5, "'redirects' must be a whole number" },
      { "cookies", 1, "'cookies' must be true, false, or the name of a file, got 1" },
    }
    for _, case in ipairs(wrong) do
      raises(case[3], function() lull.service { [case[1]] = case[2] } end)
    end
    -- A password is not repeated.
    local ok, message = pcall(lull.service, { proxy = "htp://me:pa55@host" })
    equal(ok, false)
    spec.excludes(tostring(message), "pa55")
  end)

  it("can be read and assigned in a settings function", function()
    local service = spec.demo { http_version = "1.1" }
    service:configure("/echo", function(config)
      equal(config.http_version, "1.1")
      equal(config.redirects, 10)
      equal(config.insecure, false)
      equal(config.proxy, nil)
      config.redirects = 3
      config.proxy = false
      config.resolve = { ["a.invalid:80"] = "127.0.0.1" }
      config.insecure = true
    end)
    local settings = service:configuration_for(service("/echo"))
    equal(settings.redirects, 3)
    equal(settings.proxy, false)
    same(settings.resolve, { ["a.invalid:80"] = "127.0.0.1" })
    equal(settings.insecure, true)
    equal(assert(service("/echo"):load():await()).http_status, 200)
  end)

  it("that name files which are not there fail the request", function()
    local service = lull.service { base_url = "https://127.0.0.1:1", ca_file = "/nowhere/ca.pem" }
    local _, err = service("/"):load():await()
    equal(err.cause.kind, "tls")
    equal(err.cause.message, "ca_file: cannot read '/nowhere/ca.pem' (no such file or directory)")
  end)

  it("that the library cannot keep fail the request", function()
    local _, err = lull.service { base_url = "https://127.0.0.1:1", http_version = "3" }("/"):load():await()
    if spec.shell("curl --version"):find("HTTP3", 1, true) then
      equal(err.cause.kind, "connection")
    else
      contains(err.cause.message, "this system's libcurl does not support HTTP/3 (http_version)")
    end
  end)
end)
