-- Hooks, progress, and what a request tells about itself (HOOK, PRG, REP).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local expect, never, json = spec.expect, spec.never, spec.json

describe("hooks", function()
  it("HOOK-02 of a fresh success: on_completion, on_success, on_new_data", function()
    local request = spec.fake(json '{"a":1}')("/a"):load()
    request:on_completion(expect(function(response)
      equal(response.is_success, true)
      equal(response.is_failure, false)
      equal(response.is_new, true)
      equal(response.error, nil)
      equal(response.entity.content.a, 1)
      equal(response.http_status, 200)
      equal(response.url, "https://api.test/v1/a")
    end))
    request:on_success(expect(function(entity) equal(entity.content.a, 1) end))
    request:on_new_data(expect(function(entity) equal(entity.content.a, 1) end))
    request:on_not_modified(never())
    request:on_failure(never())
    request:await()
  end)

  it("HOOK-03 HOOK-15 of a 304: on_success with the existing entity, on_not_modified", function()
    local resource = spec.fake { json('{"a":1}', { ETag = '"x"' }), { status = 304 } }("/a")
    local first = resource:load():await()
    local request = resource:load()
    request:on_completion(expect(function(response)
      equal(response.is_success, true)
      equal(response.is_new, false)
    end))
    request:on_success(expect(function(entity)
      check(rawequal(entity.content, first.content), "not parsed again")
    end))
    request:on_not_modified(expect(function(...) equal(select("#", ...), 0) end))
    request:on_new_data(never())
    request:on_failure(never())
    request:await()
  end)

  it("HOOK-04 DYN-04 of a failure: on_completion, on_failure", function()
    local request = spec.fake(json('{"m":"no"}', nil, 404))("/a"):load()
    request:on_completion(expect(function(response)
      equal(response.is_failure, true)
      equal(response.entity, nil)
      equal(response.error.http_status, 404)
    end))
    request:on_failure(expect(function(err) equal(err.user_message, "Not found") end))
    request:on_success(never())
    request:on_new_data(never())
    request:on_not_modified(never())
    request:await()
  end)

  it("HOOK-05 HOOK-06 added after completion are called once, later", function()
    local request = spec.fake(json "1")("/a"):load()
    request:await()
    local is_inside = true
    request:on_success(expect(function() equal(is_inside, false) end))
    request:on_failure(never())
    is_inside = false
    spec.turn()
  end)

  it("HOOK-07 are not called inside cancel", function()
    local request = spec.held()("/a"):load()
    local is_inside = true
    request:on_failure(expect(function() equal(is_inside, false) end))
    request:cancel()
    equal(request.state, "completed")
    is_inside = false
    spec.turn()
  end)

  it("HOOK-08 HOOK-09 run in the order of attachment, kinds not grouped; each returns the request", function()
    local order = {}
    local function note(n) return function() order[#order + 1] = n end end
    local request = spec.fake(json "1")("/a"):load()
    local same_one = request:on_success(note(1)):on_completion(note(2)):on_new_data(note(3))
      :on_success(note(4)):on_failure(note(0)):on_not_modified(note(0)):on_progress(function() end)
    equal(same_one, request)
    request:await()
    same(order, { 1, 2, 3, 4 })
  end)

  it("HOOK-10 of any number run, and parsing happens once", function()
    local parsed = 0
    local service = spec.fake(json "1")
    service:transform(function(content) parsed = parsed + 1 return content end)
    local request, count = service("/a"):load(), 0
    for _ = 1, 1000 do request:on_success(function() count = count + 1 end) end
    request:await()
    spec.turn()
    equal(count, 1000)
    equal(parsed, 1)
  end)

  it("HOOK-14 see the state move forward", function()
    local request = spec.fake(json "1")("/a"):get()
    equal(request.state, "in_progress")
    equal(request.response, nil)
    request:on_completion(expect(function() equal(request.state, "completed") end))
    request:await()
    equal(request.state, "completed")
    equal(request.response.is_success, true)
    local again = request:repeated()
    equal(again.state, "not_started")
    again:start()
    equal(again.state, "in_progress")
    again:await()
  end)

  it("HOOK-16 get failures to encode and to parse", function()
    local service = spec.fake(json "{")
    service("/a"):post({ json = print }):on_failure(expect(function(err)
      equal(err.user_message, "Cannot send request")
    end))
    service("/a"):load():on_failure(expect(function(err)
      equal(err.user_message, "Cannot parse server response")
    end)):await()
    spec.turn()
  end)

  it("HOOK-17 REP-04 of the original are not on the repeated request", function()
    local request = spec.fake(json "1")("/a"):get():on_success(expect(1))
    request:await()
    request:repeated():start():await()
  end)

  it("REP-11 start does nothing to a started or completed request", function()
    local service, sent = spec.fake(json "1")
    local request = service("/a"):get()
    equal(request:start(), request)
    request:await()
    request:start()
    spec.turn()
    equal(#sent, 1)
  end)

  it("may wait, and do not hold up the next one", function()
    local order = {}
    local request = spec.fake(json "1")("/a"):load()
    request:on_success(function()
      lull.sleep(0.02)
      order[#order + 1] = "slow"
    end)
    request:on_success(function() order[#order + 1] = "quick" end)
    request:await()
    lull.sleep(0.05)
    same(order, { "quick", "slow" })
  end)

  it("take a function and nothing else", function()
    local request = spec.fake(json "1")("/a"):get()
    spec.raises("'on_success'", function() request:on_success(7) end)
    spec.raises("function expected", function() request:on_failure() end)
    request:await()
  end)
end)

describe("progress", function()
  it("PRG-01 is 1 after every end", function()
    for _, answer in ipairs { json "1", json "{", json("{}", nil, 500) } do
      local request = spec.fake(answer)("/a"):load()
      request:await()
      equal(request.progress, 1.0)
    end
    local request = spec.held()("/a"):load()
    check(request.progress < 1)
    equal(request:cancel().progress, 1.0, "CXL-13")
    equal(spec.fake {}("/a"):post({ json = print }).progress, 1.0)
  end)

  it("PRG-02 is 0 before the start", function()
    local request = spec.fake(json "1")("/a"):get()
    request:await()
    equal(request:repeated().progress, 0.0)
  end)

  it("HOOK-12 HOOK-13 PRG-25 PRG-26 never falls, ends with 1, before the completion hooks", function()
    local service = spec.demo { progress_reporting_interval = 0.01 }
    local request, values = service("/bytes/3000000"):get(), {}
    request:on_progress(function(value) values[#values + 1] = value end)
    request:on_completion(expect(function() equal(values[#values], 1.0) end))
    request:await()
    for i = 2, #values do check(values[i] >= values[i - 1], "it fell") end
    check(#values >= 1)
  end)

  it("PRG-28 of a completed request is one 1, later", function()
    local request = spec.fake(json "1")("/a"):get()
    request:await()
    local is_inside = true
    request:on_progress(expect(function(value)
      equal(value, 1.0)
      equal(is_inside, false)
    end))
    is_inside = false
    spec.turn()
  end)
end)

describe("a request", function()
  it("LOG-09 tells its resource, method, URL and text", function()
    local resource = spec.fake(json "1")("/users/7")
    local request = resource:post()
    equal(request.resource, resource)
    equal(request.method, "POST")
    equal(request.url, resource.url)
    equal(tostring(request), "Request(POST /users/7 in progress)")
    request:await()
    equal(tostring(request), "Request(POST /users/7 completed)")
  end)

  it("tells how long it took", function()
    local entity = spec.demo()("/slow"):with_param("seconds", 0.1):get():await()
    check(entity.elapsed >= 0.09 and entity.elapsed < 2, "elapsed " .. tostring(entity.elapsed))
  end)

  it("await after completion gives the result again, as often as asked", function()
    local request = spec.fake(json "17")("/a"):get()
    for _ = 1, 3 do equal(request:await().content, 17) end
  end)

  it("await by several tasks gives each the result", function()
    local request = spec.fake(json "17")("/a"):get()
    local tasks = {}
    for i = 1, 5 do tasks[i] = lull.spawn(function() return request:await().content end) end
    for i = 1, 5 do equal(tasks[i]:await(), 17) end
  end)

  it("assert(await()) raises a useful message", function()
    local resource = spec.fake(json('{"m":1}', nil, 404))("/users/7")
    local ok, message = pcall(function() assert(resource:load():await()) end)
    equal(ok, false)
    for _, part in ipairs { "Not found", "GET https://api.test/v1/users/7", "404" } do
      spec.contains(tostring(message), part)
    end
  end)
end)
