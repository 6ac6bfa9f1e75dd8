-- The network proper, against the sample API: redirects, time-outs, limits, many requests at once.
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains = spec.contains

describe("a redirect", function()
  it("is followed, and the final URL is known", function()
    local service = spec.demo { headers = { Authorization = "Bearer x", ["X-Foo"] = "bar" } }
    local entity = assert(service("/redirect/3"):load():await())
    equal(entity.http_status, 200)
    equal(entity.url, service("/echo").url)
    equal(entity.content.headers.authorization, "Bearer x")
    equal(entity.content.headers["x-foo"], "bar")
  end)

  it("to another origin drops Authorization, and keeps Accept", function()
    local service = spec.demo { headers = { Authorization = "Bearer x", Accept = "x/y" } }
    local entity = assert(service("/redirect-other"):load():await())
    check(entity.url ~= service("/echo").url)
    equal(entity.content.headers.authorization, nil)
    equal(entity.content.headers.accept, "x/y")
  end)

  it("to another origin drops cookies too", function()
    local service = spec.demo { headers = { Cookie = "a=b" } }
    equal(assert(service("/redirect-other"):load():await()).content.headers.cookie, nil)
  end)

  it("303 and 302 turn POST into GET, 307 and 308 keep method and body", function()
    local service = spec.demo()
    local function after(status)
      local resource = service("/redirect-to"):with_params { url = "/echo", status = status }
      local seen = assert(resource:post({ text = "body" }):await()).content
      return seen.method .. " " .. seen.body
    end
    same({ after(302), after(303), after(307), after(308) }, { "GET ", "GET ", "POST body", "POST body" })
  end)

  it("for ever fails with too_many_redirects", function()
    local _, err = spec.demo()("/redirect-loop"):load():await()
    equal(err.cause.kind, "too_many_redirects")
    check(#err.user_message > 0)
  end)

  it("to another scheme than http and https is not followed", function()
    local resource = spec.demo()("/redirect-to"):with_param("url", "file:///etc/passwd")
    local entity, err = resource:load():await()
    check(not (entity and entity.http_status == 200 and tostring(entity.content):find("root:")))
    check(err or entity.http_status == 302)
  end)
end)

describe("a time-out", function()
  it("of the whole exchange fails with timeout", function()
    local service, started = spec.demo { timeout = 0.1 }, lull.now()
    local resource = service("/slow"):with_param("seconds", 5)
    local _, err = resource:load():await()
    equal(err.cause.kind, "timeout")
    equal(err.http_status, nil)
    check(lull.now() - started < 2)
    contains(tostring(err), "/slow")
  end)

  it("does not strike what is quick enough", function()
    local service = spec.demo { timeout = 3 }
    check(service("/slow"):with_param("seconds", 0.1):load():await())
  end)
end)

describe("a body", function()
  it("over max_body_size fails with body_too_large", function()
    local service = spec.demo { max_body_size = 1000 }
    local _, err = service("/bytes/1001"):load():await()
    equal(err.cause.kind, "body_too_large")
    equal(#assert(service("/bytes/1000"):load():await()).content, 1000)
  end)

  it("of several megabytes arrives whole, both ways", function()
    local service = spec.demo()
    local content = assert(service("/bytes/5000000"):load():await()).content
    equal(#content, 5000000)
    for _, i in ipairs { 0, 1, 250, 251, 4999999 } do equal(content:byte(i + 1), i % 251) end
    local text = ("0123456789"):rep(100000)
    equal(#assert(service("/echo"):post({ text = text }):await()).content.body, #text)
  end, { seconds = 15 })
end)

describe("many requests", function()
  it("10,000 at once all complete, each with its own answer", function()
    local service = spec.demo()
    local requests = {}
    local completed = 0
    for i = 1, 10000 do
      requests[i] = service("/echo"):with_param("i", i):get()
        :on_completion(function() completed = completed + 1 end)
    end
    for i = 1, 10000 do
      local entity, err = requests[i]:await()
      if not entity then spec.fail(i .. ": " .. tostring(err)) end
      if tostring(entity.content.query.i) ~= tostring(i) then
        spec.fail(i .. " got the answer of " .. tostring(entity.content.query.i))
      end
    end
    spec.turn()
    equal(completed, 10000)
  end, { seconds = 60 })

  it("10,000 of a networking function at once complete in order", function()
    local service = spec.fake(spec.json "1")
    local order = {}
    for i = 1, 10000 do
      service("/a"):get():on_completion(function() order[#order + 1] = i end)
    end
    service("/a"):get():await()
    equal(#order, 10000)
    for i = 1, 10000 do equal(order[i], i) end
  end, { seconds = 20 })

  it("over one connection come in the order they were started", function()
    local service = spec.demo { connections_per_host = 1 }
    local order, last = {}, nil
    for i = 1, 100 do
      last = service("/counter"):get():on_completion(function() order[#order + 1] = i end)
    end
    last:await()
    spec.turn()
    for i = 1, 100 do equal(order[i], i) end
  end)

  it("can be cancelled while they wait for a connection", function()
    local service = spec.demo()
    local requests, cancelled = {}, 0
    for i = 1, 500 do
      requests[i] = service("/slow"):with_params { seconds = 2, i = i }:get()
        :on_failure(function(err) if err.cause.kind == "request_cancelled" then cancelled = cancelled + 1 end end)
    end
    lull.sleep(0.05)
    for _, request in ipairs(requests) do request:cancel() end
    spec.turn()
    equal(cancelled, 500)
    check(service("/users/1"):load():await(), "the service still works")
  end)

  it("are shared by load_if_needed: one load in flight", function()
    local resource = spec.demo()("/counter")
    local requests = {}
    for i = 1, 100 do requests[i] = resource:load_if_needed() end
    for i = 2, 100 do equal(requests[i], requests[1]) end
    requests[1]:await()
    equal(resource:load_if_needed(), nil)
  end)
end)

describe("the sample API", function()
  it("logs in, refuses without a token, and takes one that was configured", function()
    local service, token = spec.demo(), nil
    service:configure("/**", function(config)
      config.headers.Authorization = token and "Bearer " .. token
    end)
    local private = service("/private")
    local _, err = private:load():await()
    equal(err.http_status, 401)
    equal(err.user_message, "Unauthorized")
    local answer = service("/login"):post({ json = { user = "ada", password = "lovelace" } }):await()
    if answer then
      token = answer.content.token
      service:invalidate_configuration()
      assert(private:load():await())
      equal(private.latest_error, nil)
    end
  end)

  it("fails at first, then succeeds", function()
    local resource = spec.demo()("/flaky"):with_params { fail = 1, key = tostring(lull.now()) }
    local _, err = resource:load():await()
    equal(err.http_status, 503)
    check(resource:load():await())
    equal(resource.latest_error, nil)
  end)
end)
