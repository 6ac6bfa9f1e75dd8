-- Transformers (TRF, JSN-05, JSN-08).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local json, raises = spec.json, spec.raises

local text = spec.answer("text/plain; charset=utf-8", "hello")
local function model(content) return { model = content } end
local function service(answers, ...)
  return spec.fake(answers or text):transform(...)
end
local function load(answers, ...)
  local resource = service(answers, ...)("/a")
  local entity, err = resource:load():await()
  return entity and entity.content, err, resource
end

describe("transform", function()
  it("TRF-04 TRF-19 TRF-23 TRF-24 makes a model of parsed content, with the entity at hand", function()
    local content = load(nil, function(content, entity)
      equal(entity.content_type, "text/plain; charset=utf-8")
      equal(entity.content, content)
      equal(entity.charset, "utf-8")
      return model(content)
    end)
    equal(content.model, "hello")
  end)

  it("delivers what it returns as it is, to everybody", function()
    local made = model("x")
    local content, _, resource = load(nil, function() return made end)
    check(rawequal(content, made))
    check(rawequal(resource.content, made))
    check(rawequal(resource.latest_data.content, made))
    local heard
    resource:observe(function(r) heard = r.content end)
    check(rawequal(heard, made))
    equal(resource:typed_content({}), made)
  end)

  it("may return any kind of value", function()
    local thread = coroutine.create(print)
    for _, value in ipairs { 7, 1.5, true, false, print, thread, io.stdout, "x", lull.null } do
      local content = load(nil, function() return value end)
      equal(content, value)
    end
  end)

  it("TRF-05 leaves errors alone", function()
    local _, err, resource = load(spec.answer("text/plain", "no", 500), model)
    equal(err.content, "no")
    equal(err.text, "no")
    equal(resource.latest_data, nil)
  end)

  it("TRF-06 transforms errors if asked, and the outcome stays failure", function()
    local _, err = load(spec.answer("text/plain", "no", 500), model, { transform_errors = true })
    equal(err.http_status, 500)
    equal(err.content.model, "no")
  end)

  it("TRF-07 keeps the original error when that goes wrong", function()
    local _, err = load(spec.answer("text/plain", "no", 500), model,
      { transform_errors = true, input = "json" })
    equal(err.http_status, 500)
    equal(err.content, "no")
    equal(err.user_message, "Internal server error")
  end)

  it("TRF-08 leaves an error without entity alone", function()
    local _, err = load({ status = 500 }, function() error("no") end, { transform_errors = true })
    equal(err.http_status, 500)
    equal(err.entity, nil)
  end)

  it("TRF-09 fails for the wrong input, naming both types", function()
    local _, err = load(nil, model, { input = "json" })
    equal(err.cause.kind, "wrong_input_type_in_transformer_pipeline")
    equal(err.cause.expected, "json")
    equal(err.cause.actual, "text")
    check(#err.cause.transformer > 0)
    equal(err.user_message, "Cannot parse server response")
    equal(err.http_status, 200, "TRF-16")
  end)

  it("TRF-09 knows json, text, data, table and any", function()
    local function kind(answer, input)
      local content, err = load(answer, function() return "ok" end, { input = input })
      return content or err.cause.actual
    end
    local object, bytes = json '{"a":1}', spec.answer("x/y", "\255")
    same({ kind(object, "json"), kind(object, "table"), kind(object, "any") }, { "ok", "ok", "ok" })
    same({ kind(json "17", "json"), kind(json "17", "table") }, { "ok", "json" })
    same({ kind(object, "text"), kind(text, "text"), kind(bytes, "text") }, { "json", "ok", "data" })
    same({ kind(bytes, "data"), kind(text, "data"), kind(text, "any") }, { "ok", "text", "ok" })
  end)

  it("TRF-09 takes a predicate as input", function()
    local options = { input = function(content) return #content > 3 end }
    equal(load(nil, model, options).model, "hello")
    local _, err = load(spec.answer("text/plain", "hi"), model, options)
    equal(err.cause.expected, "predicate")
    equal(err.cause.actual, "text")
  end)

  it("TRF-10 skips if asked", function()
    equal(load(nil, model, { input = "json", on_input_type_mismatch = "skip" }), "hello")
  end)

  it("TRF-11 TRF-12 skips what has the output type already, else fails", function()
    local options = {
      input = "json", output = "text", on_input_type_mismatch = "skip_if_output_type_matches",
    }
    equal(load(nil, model, options), "hello")
    local _, err = load(spec.answer("x/y", "\255"), model, options)
    equal(err.cause.kind, "wrong_input_type_in_transformer_pipeline")
    equal(err.cause.actual, "data")
  end)

  it("TRF-13 TRF-16 fails with script_error when it raises, and that is reported", function()
    local _, err = load(nil, function() error("kaputt") end)
    equal(err.user_message, "Cannot parse server response")
    equal(err.http_status, 200)
    equal(err.content, "hello", "TRF-16: the raw entity")
    equal(err.cause.kind, "script_error")
    spec.contains(err.cause.message, "transform_spec.lua")
    spec.contains(err.cause.message, "kaputt")
    spec.contains(err.cause.traceback, "stack traceback")
    equal(err.cause.stage, "model")
    equal(#spec.reports(), 1)
  end)

  it("TRF-13 keeps what was raised", function()
    local value = { code = 7 }
    local _, err = load(nil, function() error(value) end)
    check(rawequal(err.cause.value, value))
    equal(#spec.reports(), 1)
  end)

  it("TRF-14 uses a RequestError as it is, unreported", function()
    local _, err, resource = load(nil, function()
      error(lull.error { user_message = "not my type", http_status = 418 })
    end)
    equal(err.user_message, "not my type")
    equal(err.http_status, 418)
    equal(resource.latest_error.user_message, "not my type")
  end)

  it("TRF-15 fails when it returns nil", function()
    local _, err = load(nil, function() return nil end)
    equal(err.cause.kind, "transformer_returned_nil")
    check(err.cause.transformer)
    _, err = load(nil, function() end)
    equal(err.cause.kind, "transformer_returned_nil")
  end)

  it("TRF-17 TRF-22 replaces the transformers of its stage by default", function()
    local one = service(nil, function() return "first" end)
    one:transform(function(content) return content .. " second" end)
    equal(one("/a"):load():await().content, "hello second")
    one:transform("/b", function(content) return content .. " third" end)
    equal(one("/a"):load():await().content, "hello second")
    equal(one("/b"):load():await().content, "hello third")
  end)

  it("TRF-18 PIPE-05 appends if asked, in order", function()
    local one = service(nil, function(content) return content .. " 1" end)
    for i = 2, 4 do
      one:transform(function(content) return content .. " " .. i end, { action = "append" })
    end
    equal(one("/a"):load():await().content, "hello 1 2 3 4")
  end)

  it("PIPE-01 runs the stages in order", function()
    local one = spec.fake(text)
    for _, stage in ipairs { "cleanup", "parsing", "model", "decoding" } do
      one:transform(function(content) return content .. stage:sub(1, 3) end,
        { stage = stage, action = "append" })
    end
    -- The text parser came first at parsing, but decoding made text already: append there only.
    local plain = spec.fake(spec.answer("x/y", ""))
    for _, stage in ipairs { "cleanup", "parsing", "model", "decoding", "raw_data" } do
      plain:transform(function(content) return content .. stage:sub(1, 3) end,
        { stage = stage, action = "append" })
    end
    equal(plain("/a"):load():await().content, "rawdecparmodcle")
    check(one)
  end)

  it("JSN-05 replaces the standard parsers at parsing", function()
    local one = spec.fake(json '{"a":1}')
    one:transform(function(content) return "raw " .. content end, { stage = "parsing" })
    equal(one("/a"):load():await().content, 'raw {"a":1}')
  end)

  it("TRF-20 TRF-21 minds methods: GET, PUT, POST, PATCH, DELETE unless given", function()
    local one = service(nil, model, { methods = { "PUT", "POST" } })
    equal(one("/a"):load():await().content, "hello")
    equal(one("/a"):post():await().content.model, "hello")
    local other = service(nil, model)
    for _, method in ipairs { "GET", "PUT", "POST", "PATCH", "DELETE" } do
      equal(other("/a"):request(method):await().content.model, "hello")
    end
    equal(other("/a"):options():await().content, "hello")
  end)

  it("TRF-25 TRF-26 TRF-27 TRF-28 TRF-29 minds content types", function()
    local function applies(pattern, kind)
      local content = load(spec.answer(kind, "hello"), model, { content_types = { "q/q", pattern } })
      return type(content) == "table"
    end
    for _, row in ipairs {
      { "text/*", "text/plain", true }, { "text/*", "text/foo+plain", false },
      { "*/*+foo", "application/x+foo", true }, { "x/y", "x/y; charset=utf-8", true },
      { "X/Y", "x/y", true }, { "x/y", "X/Y", true }, { "x/y", "x/yz", false },
      { "x/y", "ax/y", false }, { "x/*", "x/", false }, { "x.y/z", "xay/z", false },
    } do
      equal(applies(row[1], row[2]), row[3], row[1] .. " on " .. row[2])
    end
  end)

  it("takes a pattern of any kind", function()
    local one = spec.fake(text)
    one:transform("/users/*", model)
    one:transform(function(url) return url:match("/b$") end, model)
    one:transform(one("/c"), model)
    equal(one("/users/7"):load():await().content.model, "hello")
    equal(one("/b"):load():await().content.model, "hello")
    equal(one("/c"):load():await().content.model, "hello")
    equal(one("/d"):load():await().content, "hello")
  end)

  it("may wait, which holds up only its own request", function()
    local one = spec.fake(json "1")
    one:transform("/slow", function(content)
      lull.sleep(0.05)
      return { content }
    end)
    local slow, order = one("/slow"):load(), {}
    slow:on_completion(function() order[#order + 1] = "slow" end)
    one("/quick"):load():on_completion(function() order[#order + 1] = "quick" end)
    same(slow:await().content, { 1 })
    same(order, { "quick", "slow" })
  end)

  it("may load another resource", function()
    local one = spec.fake(function(http) return json('"' .. http.url:match("[^/]*$") .. '"') end)
    one:transform("/outer", function(content)
      local inner = assert(one("/inner"):load():await())
      return content .. "+" .. inner.content
    end)
    equal(one("/outer"):load():await().content, "outer+inner")
  end)

  it("raises when it waits for the request it is part of", function()
    local one = spec.fake(json "1")
    local request
    one:transform(function(content)
      local ok, message = pcall(function() return request:await() end)
      equal(ok, false)
      spec.contains(message, "this would wait for itself: GET")
      return { content }
    end)
    request = one("/a"):load()
    same(request:await().content, { 1 })
  end)

  it("PIPE-15 runs once per answer, whoever listens", function()
    local count = 0
    local one = service(nil, function(content)
      count = count + 1
      return content
    end)
    local resource = one("/a")
    for _ = 1, 10 do resource:add_observer(function(r) return r.content end) end
    resource:load():on_success(function() end):on_completion(function() end):await()
    equal(count, 1)
  end)

  it("JSN-08 makes values JSON cannot hold, and logging does not mind", function()
    lull.log.enabled = "all"
    lull.log.handler = function() end
    local made = { print, io.stdout, setmetatable({}, { __tostring = function() error("no") end }) }
    local content, _, resource = load(nil, function() return made end)
    check(rawequal(content, made))
    check(#tostring(resource) > 0)
  end)

  it("TRF-97 a string made of text is text if it is UTF-8, else bytes", function()
    local _, _, resource = load(nil, function() return "é" end)
    equal(resource.text, "é")
    _, _, resource = load(nil, function() return "\255" end)
    equal(resource.text, "")
    equal(resource.content, "\255")
  end)

  it("TRF-97 with output = \"data\" every string is bytes", function()
    for _, answer in ipairs { text, json '{"a":1}', spec.answer("x/y", "b") } do
      local content, _, resource = load(answer, function() return "abc" end, { output = "data" })
      equal(content, "abc")
      equal(resource.text, "")
    end
  end)

  it("TRF-97 with output = \"text\" a string is text, and one that is not UTF-8 a failure", function()
    for _, answer in ipairs { text, json '{"a":1}', spec.answer("x/y", "b") } do
      local _, _, resource = load(answer, function() return "abc" end, { output = "text" })
      equal(resource.text, "abc")
      local _, err = load(answer, function() return "ab\255" end, { output = "text" })
      equal(err.cause.kind, "script_error")
      spec.contains(err.cause.message, "'output' is \"text\", and the string is not valid UTF-8")
      equal(err.http_status, 200)
    end
    equal(#spec.reports(), 3)
  end)

  -- Each of them as an answer of its own type, through functions that the parsers come after.
  local bodies = { "", "abc", "ab\255", '{"a":1}', "\239\187\191[]", ("é"):rep(40000) }
  local function same_bytes(content) return content end

  it("TRF-96 what it makes of bytes stays bytes, whatever they are", function()
    for _, body in ipairs(bodies) do
      local one = spec.fake(spec.answer("x/y", body))
      for _ = 1, 3 do
        one:transform(same_bytes, { stage = "decoding", action = "append", input = "data" })
      end
      local entity, err = one("/a"):load():await()
      check(entity, err)
      equal(entity.content, body)
      equal(entity.text, "")
    end
  end)

  it("TRF-96 JSN-81 parsers take what a function makes of bytes", function()
    for _, output in ipairs { "any", "data", "text" } do
      local one = spec.fake(json '{"a":[1]}')
      one:transform(same_bytes, { stage = "decoding", output = output })
      equal(assert(one("/a"):load():await()).content.a[1], 1)
    end
    local one = spec.fake(spec.answer("text/plain", "caf\xE9"))
    one:transform(same_bytes, { stage = "decoding" })
    equal(assert(one("/a"):load():await()).content, "café")
    one = spec.fake(spec.answer("text/plain; charset=utf-8", "abc"))
    one:transform(same_bytes, { stage = "raw_data" })
    equal(assert(one("/a"):load():await()).text, "abc")
    one = spec.fake(spec.answer("application/x-ndjson", "1\n2\n"))
    one:transform(same_bytes, { stage = "decoding", output = "text" })
    same(assert(one("/a"):load():await()).content, { 1, 2 })
  end)

  it("JSN-81 text that is not JSON says where, and large text is parsed as well", function()
    local one = spec.fake(json "[1,")
    one:transform(same_bytes, { stage = "decoding", output = "text" })
    local _, err = one("/a"):load():await()
    equal(err.cause.kind, "malformed_json")
    local body = '["' .. ("x"):rep(100000) .. '"]'
    one = spec.fake(json(body))
    one:transform(same_bytes, { stage = "decoding", output = "text" })
    equal(#assert(one("/a"):load():await()).content[1], 100000)
  end)

  it("JSN-81 REQ-04 empty text of a 204 is as it should be", function()
    local one = spec.fake { status = 204, headers = { ["Content-Type"] = "application/json" } }
    one:transform(same_bytes, { stage = "decoding", output = "text" })
    check(one("/a"):load():await())
  end)

  it("TRF-98 a string assigned to the copy of an answer in bytes is bytes", function()
    for _, body in ipairs { "abc", "ab\255", '{"a":1}' } do
      local one = spec.fake(body:find "{" and json(body) or spec.answer("text/plain", body))
      one:configure(function(configuration)
        configuration.pipeline.decoding:add_transformer(function(response)
          local copy = lull.copy(response.entity)
          copy.content = copy.content .. ""
          return lull.success(copy)
        end)
      end)
      local entity = assert(one("/a"):load():await())
      if body:find "{" then equal(entity.content.a, 1) else equal(entity.text, (body:gsub("\255", "ÿ"))) end
    end
  end)

  it("raises for wrong use", function()
    local one = spec.fake(text)
    raises("'transform'", function() one:transform() end)
    raises("'transform'", function() one:transform("/a") end)
    raises("'transform'", function() one:transform("/a", 7) end)
    raises("did you mean 'stage'?", function() one:transform(model, { stag = "model" }) end)
    raises("'modle'", function() one:transform(model, { stage = "modle" }) end)
    raises("'action'", function() one:transform(model, { action = "prepend" }) end)
    raises("'input'", function() one:transform(model, { input = "jsn" }) end)
    raises("'methods'", function() one:transform(model, { methods = 7 }) end)
    raises("'transform_errors'", function() one:transform(model, { transform_errors = "yes" }) end)
  end)
end)
