-- Conditional requests and 304 (LOAD-03, LOAD-04, NM).
local lull = require "lull"
local spec = ...
local describe, it, equal, check = spec.describe, spec.it, spec.equal, spec.check
local expect, json = spec.expect, spec.json

local not_modified = { status = 304, headers = { ETag = '"new"', ["X-New"] = "1" } }

describe("a load with data", function()
  it("LOAD-03 sends If-None-Match with exactly that etag", function()
    local service, sent = spec.fake(json("1", { ETag = 'W/"x"', ["Last-Modified"] = "yesterday" }))
    local resource = service("/a")
    resource:load():await()
    resource:load():await()
    equal(sent[1].headers["if-none-match"], nil)
    equal(sent[2].headers["if-none-match"], 'W/"x"')
    equal(sent[2].headers["if-modified-since"], nil)
  end)

  it("LOAD-03 sends If-Modified-Since without an etag, else neither", function()
    local service, sent = spec.fake {
      json("1", { ["Last-Modified"] = "Tue, 01 Jan 2030 00:00:00 GMT" }), json "1",
    }
    local resource = service("/a")
    for _ = 1, 3 do resource:load():await() end
    equal(sent[2].headers["if-modified-since"], "Tue, 01 Jan 2030 00:00:00 GMT")
    equal(sent[3].headers["if-modified-since"], nil)
    equal(sent[3].headers["if-none-match"], nil)
  end)

  it("a plain request sends no condition", function()
    local service, sent = spec.fake(json("1", { ETag = '"x"' }))
    local resource = service("/a")
    resource:load():await()
    resource:get():await()
    equal(sent[2].headers["if-none-match"], nil)
  end)

  it("LOAD-04 lets a configured mutation see and remove the condition", function()
    local service, sent = spec.fake(json("1", { ETag = '"x"' }))
    local resource, seen = service("/a"), nil
    resource:load():await()
    service:configure { mutate_requests = function(http)
      seen = http.headers["If-None-Match"]
      http.headers["If-None-Match"] = nil
    end }
    resource:load():await()
    equal(seen, '"x"')
    equal(sent[2].headers["if-none-match"], nil)
  end)

  it("LOAD-04 computes the condition again when repeated", function()
    local service, sent = spec.fake { json("1", { ETag = '"1"' }), json("2", { ETag = '"2"' }), json "3" }
    local resource = service("/a")
    local first = resource:load()
    first:await()
    resource:load():await()
    first:repeated():start():await()
    equal(sent[3].headers["if-none-match"], '"2"')
  end)
end)

describe("a 304", function()
  local function loaded(answers, ...)
    local service, sent = spec.fake(answers, ...)
    local resource = service("/a")
    resource:load():await()
    return resource, sent
  end

  it("LOAD-07 NM-01 NM-09 keeps content, type, etag and headers; the timestamp is now", function()
    local resource = loaded { json('{"a":1}', { ETag = '"x"' }), not_modified }
    local content, timestamp = resource.content, resource.timestamp
    lull.sleep(0.02)
    local entity = resource:load():await()
    check(rawequal(resource.content, content))
    check(rawequal(entity.content, content))
    equal(resource.latest_data.etag, '"x"')
    equal(resource.latest_data:header("x-new"), nil)
    equal(resource.latest_data.content_type, "application/json")
    check(resource.timestamp > timestamp)
    check(resource.latest_data.timestamp > timestamp)
  end)

  it("works with the sample API", function()
    local service = spec.demo()
    local resource = service("/users/1")
    resource:load():await()
    local content = resource.content
    resource:load():on_not_modified(expect(1)):on_new_data(spec.never()):await()
    check(rawequal(resource.content, content))
    service("/users/1"):patch({ json = { visits = 99 } }):await()
    resource:load():on_not_modified(spec.never()):on_new_data(expect(1)):await()
    equal(resource.content.visits, 99)
    service("/reset"):post():await()
  end)

  it("NM-02 NM-08 without data is a failure that transformers see", function()
    local service = spec.fake { status = 304 }
    local resource = service("/a")
    local entity, err = resource:load():await()
    equal(entity, nil)
    equal(err.cause.kind, "no_local_data_for_304")
    equal(err.user_message, "No data available")
    equal(err.http_status, nil)
    equal(resource.latest_error.cause.kind, "no_local_data_for_304")
  end)

  it("NM-10 to a condition of one's own is the answer, with status and headers", function()
    local service, sent = spec.fake { status = 304, headers = { ETag = '"abc"' } }
    local function answers(resource, header)
      local request = resource:get(nil, function(http) http.headers[header] = '"abc"' end)
      local entity, err = request:await()
      equal(entity, nil)
      equal(err.http_status, 304)
      equal(err.cause.kind, "no_local_data_for_304")
      equal(err.entity:header("etag"), '"abc"')
      return err
    end
    check(tostring(answers(service("/a"), "If-None-Match")):find("304", 1, true))
    answers(service("/a"), "If-Modified-Since")
    equal(#sent, 2)
    service:configure { headers = { ["If-None-Match"] = '"x"' } }
    local _, err = service("/b"):load():await()
    equal(err.http_status, 304)
    equal(service("/b").latest_error.http_status, 304)
  end)

  it("NM-03 TRF-03 runs no transformer", function()
    local count = 0
    local service = spec.fake { json("1", { ETag = '"x"' }), not_modified }
    service:transform(function(content)
      count = count + 1
      return { content }
    end)
    local resource = service("/a")
    resource:load():await()
    resource:load():await()
    equal(count, 1)
    equal(resource.content[1], 1)
  end)

  it("NM-06 clears an earlier error", function()
    local resource = loaded { json("1", { ETag = '"x"' }), json("{}", nil, 500), not_modified }
    resource:load():await()
    check(resource.latest_error)
    resource:load():await()
    equal(resource.latest_error, nil)
    equal(resource.content, 1)
  end)

  it("NM-07 on a plain request does not touch the timestamp", function()
    local resource = loaded { json("1", { ETag = '"x"' }), not_modified }
    local timestamp = resource.timestamp
    lull.sleep(0.01)
    local request = resource:get()
    request:on_not_modified(expect(1))
    equal(request:await().content, 1)
    equal(resource.timestamp, timestamp)
  end)

  it("INV-08 ends an invalidation", function()
    local resource = loaded { json("1", { ETag = '"x"' }), not_modified }
    resource:invalidate()
    resource:load_if_needed():await()
    equal(resource.is_up_to_date, true)
  end)

  it("makes stale data fresh again", function()
    local resource = loaded({ json("1", { ETag = '"x"' }), not_modified }, { expiration_time = 0.03 })
    lull.sleep(0.05)
    equal(resource.is_up_to_date, false)
    resource:load_if_needed():await()
    equal(resource.is_up_to_date, true)
  end)
end)
