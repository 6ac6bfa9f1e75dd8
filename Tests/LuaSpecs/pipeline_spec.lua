-- config.pipeline: order, stages, transformers (PIPE, TRF-01 to TRF-03, TRF-30, TRF-33).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, raises, json = spec.contains, spec.raises, spec.json

local plain = spec.answer("text/plain; charset=utf-8", "x")
local untyped = { status = 200, body = "" }

-- Appends a word to whatever text there is.
local function appending(word)
  return function(content) return (content or "") .. word end
end

-- A service whose stages append dec, par, mod, cle (the rows of PIPE).
local function rows(more)
  local service = spec.fake(untyped, { standard_transformers = {} })
  service:configure("/**", function(config)
    for stage, word in pairs { decoding = "dec", parsing = "par", model = "mod", cleanup = "cle" } do
      config.pipeline[stage]:add(appending(word))
    end
    if more then more(config) end
  end)
  return service
end

local function content(service)
  local entity, err = service("/a"):load():await()
  if not entity then error(err) end
  return entity.content
end

-- What raises inside a configure function: its message.
local function refused(fn)
  local service = spec.fake(json "1")
  local ok, message
  service:configure("/**", function(config) ok, message = pcall(fn, config) end)
  service:configuration_for(service("/a"))
  equal(ok, false)
  contains(message, "pipeline_spec.lua:", "the place")
  return message
end

describe("pipeline.order", function()
  it("PIPE-01 is raw_data, decoding, parsing, model, cleanup", function()
    equal(content(rows()), "decparmodcle")
    local order
    spec.fake(json "1"):configure("/**", function(config) order = config.pipeline.order end)
      :configuration_for("https://api.test/v1/a")
    same(order, { "raw_data", "decoding", "parsing", "model", "cleanup" })
  end)

  it("PIPE-02 PIPE-03 another order counts for transformers already added; those left out do not run", function()
    equal(content(rows(function(config) config.pipeline.order = { "parsing", "decoding" } end)), "pardec")
    equal(content(rows(function(config) config.pipeline.order = {} end)), "")
  end)

  it("PIPE-04 takes stages of one's own", function()
    local service = rows(function(config)
      local order = config.pipeline.order
      table.insert(order, 3, "funk")
      table.insert(order, "empty")
      config.pipeline.order = order
      config.pipeline.funk:add(appending "fun")
    end)
    equal(content(service), "decfunparmodcle")
    same(service:configuration_for("https://api.test/v1/a").pipeline.order,
      { "raw_data", "decoding", "funk", "parsing", "model", "cleanup", "empty" })
  end)

  it("PIPE-04 TRF-19 stages of one's own are known to transform and to settings tables", function()
    local service = spec.fake(plain)
    service:configure { pipeline = { order = { "parsing", "mine", "model" }, mine = {} } }
    service:transform(appending "mine", { stage = "mine" })
    service:transform(appending "model")
    equal(content(service), "xminemodel")
    local cache = lull.cache.memory()
    service:configure { pipeline = { mine = { cache = cache } } }
    equal(content(service), "xminemodel")
    equal(service:configuration_for("https://api.test/v1/a").pipeline.mine.cache, cache)
  end)

  it("PIPE-08 with a stage twice raises", function()
    contains(refused(function(config) config.pipeline.order = { "model", "model" } end),
      "'order' names the stage 'model' more than once")
    raises("'order' names the stage 'mine' more than once", function()
      spec.fake(json "1"):configure { pipeline = { order = { "mine", "mine" } } }
    end)
  end)

  it("PIPE-09 that omits a stage in use: a warning, and its transformers and cache are ignored", function()
    local messages = {}
    lull.log.handler = function(_, message) messages[#messages + 1] = message end
    lull.log.enabled = "all"
    local asked = 0
    local service = rows(function(config)
      config.pipeline.model.cache = {
        key = function() asked = asked + 1 end, read = print, write = print, remove = print,
      }
      config.pipeline.order = { "decoding", "parsing", "cleanup" }
    end)
    equal(content(service), "decparcle")
    lull.log.enabled = {}
    equal(asked, 0)
    local text = table.concat(messages, "\n")
    contains(text:lower(), "warning")
    contains(text, "model")
  end)

  it("raises for what is no list of names", function()
    contains(refused(function(config) config.pipeline.order = 7 end),
      "'order' must be a list of stage names, got number")
    contains(refused(function(config) config.pipeline.order = nil end),
      "'order' must be a list of stage names, got nil")
    contains(refused(function(config) config.pipeline.order = { 7 } end), "'order' must be a list of stage names")
    contains(refused(function(config) config.pipeline.order = { "" } end), "'order' must be a list of stage names")
    contains(refused(function(config) config.pipeline.order = { a = "model" } end),
      "'order' must be a list of stage names")
    contains(refused(function(config) config.pipeline.order = { "order" } end), "a stage cannot be named 'order'")
    contains(refused(function(config) config.pipeline.order = { "clear" } end), "a stage cannot be named 'clear'")
  end)

  it("changed in place changes nothing", function()
    equal(content(rows(function(config) table.remove(config.pipeline.order) end)), "decparmodcle")
  end)
end)

describe("a stage", function()
  it("PIPE-05 runs several transformers in the order added, and can be chained", function()
    local service = rows(function(config)
      local stage = config.pipeline.model
      equal(stage:add(appending "2"):add(appending "3"):add_transformer(function(r) return r end), stage)
    end)
    equal(content(service), "decparmod23cle")
  end)

  it("PIPE-06 loses its transformers, and gets another", function()
    equal(content(rows(function(config)
      config.pipeline.model:remove_transformers():add(appending "new")
    end)), "decparnewcle")
  end)

  it("PIPE-12 remove_transformers keeps the cache, .cache = nil keeps the transformers", function()
    local cache = lull.cache.memory()
    rows(function(config)
      local stage = config.pipeline.model
      stage.cache = cache
      stage:remove_transformers()
      equal(stage.cache, cache)
      equal(tostring(stage), "PipelineStage(model, 0 transformers)")
      stage = config.pipeline.parsing
      stage.cache = cache
      stage.cache = nil
      equal(stage.cache, nil)
      equal(tostring(stage), "PipelineStage(parsing, 1 transformers)")
    end):configuration_for("https://api.test/v1/a")
    same(spec.reports(), {})
  end)

  it("PIPE-13 has one cache, the last one set", function()
    local one, two = lull.cache.memory(), lull.cache.memory()
    rows(function(config)
      config.pipeline.model.cache = one
      config.pipeline.model.cache = two
      equal(config.pipeline.model.cache, two)
    end):configuration_for("https://api.test/v1/a")
    same(spec.reports(), {})
  end)

  it("takes the options of transform but stage, action and methods", function()
    local service = spec.fake(function(http)
      return http.url:match("json$") and json '{"a":1}' or plain
    end)
    service:configure("/**", function(config)
      config.pipeline.model:add(function(value) return { text = value } end,
        { input = "text", on_input_type_mismatch = "skip" })
      config.pipeline.cleanup:add(function(value) return { cleaned = value } end, { content_types = { "text/*" } })
    end)
    equal(service("/text"):load():await().content.cleaned.text, "x")
    equal(service("/json"):load():await().content.a, 1)
    local function add(options) return function(config) config.pipeline.model:add(appending "x", options) end end
    contains(refused(add { stage = "model" }), "unknown setting 'stage'")
    contains(refused(add { action = "append" }), "unknown setting 'action'")
    contains(refused(add { methods = { "GET" } }), "unknown setting 'methods'")
    contains(refused(add { inptu = "text" }), "did you mean 'input'?")
    contains(refused(add { input = 7 }), "'input' must be")
    contains(refused(add(7)), "bad argument #2 to 'add'")
  end)

  it("raises for wrong use", function()
    contains(refused(function(config) config.pipeline.model:add() end), "bad argument #1 to 'add'")
    contains(refused(function(config) config.pipeline.model:add({}) end), "bad argument #1 to 'add'")
    contains(refused(function(config) config.pipeline.model:add_transformer(7) end),
      "bad argument #1 to 'add_transformer'")
    contains(refused(function(config) config.pipeline.model:add_standard("xml") end),
      "\"json\" or \"text\" expected, got 'xml'")
    contains(refused(function(config) config.pipeline.model:add_standard() end), "bad argument #1 to 'add_standard'")
    contains(refused(function(config) config.pipeline.model.cash = 1 end), "'cash'")
    contains(refused(function(config) return config.pipeline.model.cahce end), "did you mean 'cache'?")
    contains(refused(function(config) config.pipeline.model.cache = 7 end), "'cache' must be")
    contains(refused(function(config) config.pipeline.model.add(appending "x") end), "colon")
  end)

  it("of an unknown name raises, naming those there are", function()
    local message = refused(function(config) return config.pipeline.modle end)
    contains(message, "there is no stage 'modle'; the stages are raw_data, decoding, parsing, model, cleanup")
    contains(message, "and those named in pipeline.order")
    raises("there is no stage 'nobody'", function()
      spec.fake(json "1"):transform(appending "x", { stage = "nobody" })
    end)
    raises("there is no stage 'nobody'", function()
      spec.fake(json "1"):configure { pipeline = { nobody = {} } }
    end)
  end)

  it("of a closed configuration raises", function()
    local config, pipeline, stage
    local service = spec.fake(json "1")
    service:configure("/**", function(given)
      config, pipeline, stage = given, given.pipeline, given.pipeline.model
    end)
    service:configuration_for(service("/a"))
    raises("closed", function() return config.pipeline end)
    raises("closed", function() return pipeline.order end)
    raises("closed", function() pipeline.order = {} end)
    raises("closed", function() return pipeline.model end)
    raises("closed", function() pipeline:clear() end)
    raises("closed", function() stage:add(appending "x") end)
    raises("closed", function() stage.cache = nil end)
    check(#tostring(config) > 0)
  end)
end)

describe("clear", function()
  it("PIPE-07 PIPE-12 CFG-21 leaves raw bytes, no transformers and no caches", function()
    local service = spec.fake(json "17")
    service:configure { pipeline = { model = { cache = lull.cache.memory() } } }
    service:configure("/**", function(config)
      local pipeline = config.pipeline
      equal(pipeline:clear(), pipeline)
    end)
    equal(content(service), "17")
    equal(service("/a").text, "")
    equal(service:configuration_for("https://api.test/v1/a").pipeline.model, nil)
  end)

  it("PIPE-19 a standard parser can be put back alone", function()
    local service = spec.fake(function(http) return http.url:match("json$") and json "17" or plain end)
    service:configure("/**", function(config)
      config.pipeline:clear()
      config.pipeline.parsing:add_standard("text")
    end)
    equal(service("/text"):load():await().text, "x")
    equal(service("/json"):load():await().content, "17")
    service:configure("/**", function(config) config.pipeline:clear().parsing:add_standard("json") end)
    service:wipe_resources()
    equal(service("/json"):load():await().content, 17)
    equal(service("/text"):load():await().text, "")
  end)

  it("TRF-33 the standard parsers by choice", function()
    for _, row in ipairs { { { "json", "text" }, true, true }, { { "json" }, true, false }, { {}, false, false } } do
      for i, answer in ipairs { spec.answer("application/json", "\xD8"),
        spec.answer("text/plain; charset=utf-8", "\xD8") } do
        local entity, err = spec.fake(answer, { standard_transformers = row[1] })("/a"):load():await()
        equal(err ~= nil, row[i + 1])
        if entity then equal(entity.content, "\xD8") end
      end
    end
  end)

  it("PIPE-14 is per method", function()
    local service = spec.fake(json "17")
    service:configure("/**", function(config) config.pipeline:clear() end, { methods = { "POST" } })
    equal(service("/a"):post():await().content, "17")
    equal(service("/a"):get():await().content, 17)
  end)
end)

describe("add_transformer", function()
  local function service(fn, answer, stage)
    local made = spec.fake(answer or plain)
    return made:configure("/**", function(config) config.pipeline[stage or "model"]:add_transformer(fn) end)
  end

  it("TRF-01 gets the whole response, once, and may change content and headers", function()
    local one = service(spec.expect(function(response)
      equal(response.is_success, true)
      equal(response.is_new, true)
      equal(response.entity.content, "x")
      local entity = lull.copy(response.entity)
      entity.content = { entity.content }
      entity.headers["X-Made"] = "here"
      return lull.success(entity)
    end))
    local resource = one("/a")
    resource:load():await()
    spec.collect()
    equal(resource.content[1], "x")
    equal(resource.latest_data:header("x-made"), "here")
    equal(resource.latest_data.content_type, "text/plain; charset=utf-8")
  end)

  it("TRF-02 ERR-13 may change an error", function()
    local one = service(spec.expect(function(response)
      equal(response.error.http_status, 401)
      return lull.failure(lull.error {
        user_message = response.error.user_message .. " suffix", http_status = response.error.http_status,
        entity = response.error.entity,
      })
    end), spec.answer("text/plain", "secret", 401))
    local _, err = one("/a"):load():await()
    equal(err.user_message, "Unauthorized suffix")
    equal(err.http_status, 401)
    equal(err.text, "secret")
  end)

  it("TRF-03 NM-03 is not called for a 304", function()
    local one = service(spec.expect(function(response) return response end),
      { json("1", { ETag = '"x"' }), { status = 304 } })
    one("/a"):load():await()
    equal(one("/a"):load():await().content, 1)
  end)

  it("PIPE-17 PIPE-18 ERR-12 turns failure into success and back", function()
    local one = service(function(response)
      if response.is_failure then return lull.success { content = "saved" } end
      return lull.failure("spoiled")
    end, { { status = 500 }, plain })
    local resource = one("/a")
    resource:load():await()
    equal(resource.text, "saved")
    equal(resource.latest_error, nil)
    resource:load():await()
    equal(resource.latest_error.user_message, "spoiled")
    equal(resource.text, "saved")
  end)

  it("returns what it was given: nothing changes", function()
    local one = service(function(response) return response end, json '{"a":1}')
    equal(one("/a"):load():await().content.a, 1)
  end)

  it("may wait, and ends with its request", function()
    local is_closed
    local one = service(function(response)
      lull.sleep(0.005)
      return lull.success { content = "waited " .. response.entity.text }
    end)
    equal(one("/a"):load():await().text, "waited x")
    local stuck = service(function()
      local _ <close> = setmetatable({}, { __close = function() is_closed = true end })
      lull.sleep(10)
      spec.fail("it went on")
    end)
    local request = stuck("/a"):load()
    spec.turn()
    request:cancel()
    equal(is_closed, true)
    equal(select(2, request:await()).cause.kind, "request_cancelled")
  end)

  it("CXL-09 that cancels its own request ends at its next wait, early or late", function()
    for _, waits in ipairs { false, true } do
      for _, kind in ipairs { "add", "add_transformer" } do
        local request, went_on
        local one = spec.fake(plain):configure("/**", function(config)
          local stage = config.pipeline.model
          stage[kind](stage, function()
            if waits then lull.sleep(0) end
            request:cancel()
            lull.sleep(0)
            went_on = true
          end)
        end)
        request = one("/a"):load()
        equal(select(2, request:await()).cause.kind, "request_cancelled")
        lull.sleep(0.01)
        equal(went_on, nil, kind)
        equal(one("/a").latest_data, nil)
      end
    end
  end)

  it("raises when it waits for its own request", function()
    local request, message
    local one = service(function(response)
      message = select(2, pcall(function() return request:await() end))
      return response
    end)
    request = one("/a"):load()
    equal(request:await().text, "x")
    contains(message, "this would wait for itself: GET")
  end)

  it("TRF-15 that returns nil fails its request", function()
    local _, err = service(function() end)("/a"):load():await()
    equal(err.cause.kind, "transformer_returned_nil")
    contains(err.cause.transformer, "pipeline_spec.lua:")
    equal(err.user_message, "Cannot parse server response")
    equal(err.http_status, 200, "TRF-16")
    equal(err.content, "x")
  end)

  it("that returns something else fails its request, and is reported", function()
    for _, value in ipairs { 7, "x", {}, lull.entity {}, lull.error "x" } do
      local _, err = service(function() return value end)("/a"):load():await()
      equal(err.cause.kind, "script_error")
      contains(err.cause.message, "a transformer of responses must return a Response, got ")
      equal(err.cause.stage, "model")
    end
    equal(#spec.reports(), 5)
  end)

  it("TRF-13 TRF-14 that raises fails its request", function()
    local _, err = service(function() error("kaputt") end)("/a"):load():await()
    equal(err.cause.kind, "script_error")
    contains(err.cause.message, "kaputt")
    equal(err.cause.stage, "model")
    contains(err.cause.traceback, "pipeline_spec.lua:")
    equal(#spec.reports(), 1)
    local one = service(function() error({ code = 7 }) end)
    one("/a"):load():await()
    spec.collect()
    equal(one("/a").latest_error.cause.value.code, 7)
    equal(#spec.reports(), 1)
    _, err = service(function() error(lull.error "on purpose") end)("/a"):load():await()
    equal(err.user_message, "on purpose")
    same(spec.reports(), {})
  end)

  it("may look at raw bytes before parsing", function()
    local seen
    local one = service(function(response)
      seen = response.entity.content
      return response
    end, json '{"a":1}', "raw_data")
    equal(one("/a"):load():await().content.a, 1)
    equal(seen, '{"a":1}')
  end)
end)

describe("add with content types", function()
  it("TRF-30 leaves an error without entity alone", function()
    local one = spec.fake({ status = 500 }):configure("/**", function(config)
      config.pipeline.model:add(spec.never(), { content_types = { "*/*" }, transform_errors = true })
    end)
    equal(select(2, one("/a"):load():await()).http_status, 500)
  end)
end)

describe("configuration_for(…).pipeline", function()
  it("shows order, transformers and caches", function()
    local service = spec.fake(json "1")
    service:configure("/**", function(config) config.pipeline.model:add(appending "x") end)
    local pipeline = service:configuration_for("https://api.test/v1/a").pipeline
    same(pipeline.order, { "raw_data", "decoding", "parsing", "model", "cleanup" })
    equal(#pipeline.parsing.transformers, 2)
    equal(#pipeline.model.transformers, 1)
    contains(pipeline.model.transformers[1], "pipeline_spec.lua:")
    equal(pipeline.cleanup, nil)
    equal(pipeline.model.cache, nil)
  end)

  it("is readable as text inside a configure function", function()
    local text
    local service = spec.fake(json "1")
    service:configure("/**", function(config) text = tostring(config.pipeline) end)
    service:configuration_for(service("/a"))
    equal(text, "Pipeline(raw_data, decoding, parsing, model, cleanup)")
  end)
end)

describe("pipeline = …", function()
  it("stands beside base_url, and before any other setting of its table", function()
    local cache = lull.cache.memory()
    local service = spec.fake(plain, { pipeline = { order = { "parsing", "own" }, own = { cache = cache } } })
    equal(service:configuration_for("https://api.test/v1/a").pipeline.own.cache, cache)
    equal(content(service), "x")
  end)

  it("raises for wrong use", function()
    local service = spec.fake(json "1")
    local function set(value) return function() service:configure { pipeline = value } end end
    raises("'pipeline' must be a table, got number", set(7))
    raises("there is no stage 'mdel'", set { mdel = {} })
    raises("the stage 'model' must be a table such as { cache = … }, got number", set { model = 7 })
    raises("unknown setting 'cahce' (did you mean 'cache'?)", set { model = { cahce = 1 } })
    raises("'cache' must be", set { model = { cache = 7 } })
    raises("'order' must be a list of stage names, got string", set { order = "model" })
    raises("there is no stage", set { [1] = {} })
    raises("'pipeline'", function() lull.service { pipeline = 7 } end)
    local message
    service:configure("/**", function(config) message = select(2, pcall(function() config.pipeline = {} end)) end)
    service:configuration_for(service("/a"))
    check(message == nil or type(message) == "string")
  end)

  it("in a configure function is what it is in a settings table", function()
    local cache = lull.cache.memory()
    local service = spec.fake(json "1")
    service:configure("/**", function(config) config.pipeline = { model = { cache = cache } } end)
    equal(service:configuration_for(service("/a")).pipeline.model.cache, cache)
  end)
end)
