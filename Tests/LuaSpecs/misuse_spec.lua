-- Wrong use raises at the caller's line, naming the method, the argument and what was expected.
local lull = require "lull"
local spec = ...
local describe, it, equal, raises, contains = spec.describe, spec.it, spec.equal, spec.raises, spec.contains
local excludes = spec.excludes
local json = spec.json

local function fresh() return spec.fake(json "1") end

describe("misuse", function()
  it("of an argument names its place, the method and what was expected", function()
    local service = fresh()
    local resource = service("/a")
    raises("bad argument #1 to 'resource' (string expected, got nil)", function() service:resource(nil) end)
    raises("bad argument #1 to 'resource' (string expected, got no value)", function() service:resource() end)
    raises("bad argument #1 to 'resource' (string expected, got table)", function() service:resource({}) end)
    raises("bad argument #1 to 'child'", function() resource:child() end)
    raises("bad argument #1 to 'with_param'", function() resource:with_param() end)
    raises("bad argument #1 to 'with_params'", function() resource:with_params("x") end)
    raises("bad argument #1 to 'request'", function() resource:request() end)
    raises("bad argument #2 to 'request'", function() resource:request("GET", 7) end)
    raises("bad argument #3 to 'request'", function() resource:request("GET", nil, 7) end)
    raises("bad argument #1 to 'load_using'", function() resource:load_using() end)
    raises("bad argument #1 to 'override_local_data'", function() resource:override_local_data({}) end)
    raises("bad argument #1 to 'resource_under'", function() service:resource_under() end)
    raises("bad argument #2 to 'resource_under'", function() service:resource_under("http://x") end)
    raises("bad argument #1 to 'configuration_for'", function() service:configuration_for(7) end)
    raises("bad argument #1 to 'service'", function() lull.service(7) end)
    raises("bad argument #1 to 'service'", function() lull.service() end)
    raises("bad argument #1 to 'testing.stub'", function() lull.testing.stub("GET") end)
    raises("bad argument #1 to 'on_error'", function() lull.on_error(7) end)
  end)

  it("of a content type: it stays on its line", function()
    local message = "'content_type' must not contain line breaks or zero bytes"
    local resource = fresh()("/a")
    for _, value in ipairs { "text/plain\r\nX-Own: 1", "a/b\n", "a\0b" } do
      raises(message, function() resource:post({ text = "x", content_type = value }) end)
      raises(message, function() resource:post({ data = "x", content_type = value }) end)
      raises(message, function() resource:post({ json = {}, content_type = value }) end)
      raises(message, function() lull.entity { content = 1, content_type = value } end)
      raises(message, function() lull.success { content = 1, content_type = value } end)
    end
    equal(#resource.all_requests, 0)
  end)

  it("of an observer: a table without any of its methods, or no observer at all", function()
    local resource = fresh()("/a")
    local expected = "an observer table needs a function among 'resource_changed', "
      .. "'resource_request_progress', 'stopped_observing'"
    raises("bad argument #1 to 'add_observer' (" .. expected .. ")", function() resource:add_observer({}) end)
    raises(expected, function() resource:add_observer({ resourceChanged = print }) end)
    raises("'resource_changed' of an observer table must be a function, got 7", function()
      resource:add_observer({ resource_changed = 7, stopped_observing = print })
    end)
    raises(expected, function() resource:add_observer({}, resource) end)
    raises("bad argument #1 to 'observe' (" .. expected .. ")", function() resource:observe({}) end)
    raises(expected, function()
      resource:add_observer(setmetatable({}, { __index = function() error("no") end }))
    end)
    raises("bad argument #1 to 'add_observer'", function() resource:add_observer() end)
    raises("bad argument #1 to 'add_observer'", function() resource:add_observer("x") end)
    raises("bad argument #1 to 'observe'", function() resource:observe(7) end)
    local heard = 0
    local inherited = setmetatable({}, { __index = function(_, name)
      return name == "resource_changed" and function() heard = heard + 1 end or nil
    end })
    resource:add_observer(inherited)
    equal(heard, 1)
  end)

  it("of an owner that cannot be owned", function()
    local resource = fresh()("/a")
    for _, owner in ipairs { "text", 7, true, 1.5 } do
      raises("bad argument #2 to 'add_observer' (an owner must be a table, function or object, got "
        .. type(owner) .. ")", function() resource:add_observer(function() end, owner) end)
    end
    for _, owner in ipairs { {}, print, resource, coroutine.create(print), io.stdout } do
      equal(resource:add_observer(function() end, owner), resource)
    end
  end)

  it("of an entity: what is none, or is read-only", function()
    local resource = fresh()("/a")
    raises("bad argument #1 to 'override_local_data'", function() resource:override_local_data("x") end)
    raises("bad argument #1 to 'override_local_data'", function() resource:override_local_data(lull.success {}) end)
    raises("bad argument #1 to 'override_local_data'", function() resource:override_local_data(nil) end)
    local entity = resource:load():await()
    raises("read-only", function() entity.content = 1 end)
    raises("read-only", function() entity.timestamp = 1 end)
    raises("read-only", function() entity:touch() end)
    equal(fresh()("/b"):override_local_data(entity).content, 1, "that of another service is a value like any")
  end)

  it("of a JSON body fails its request, naming where and what", function()
    local service, sent = fresh()
    local cycle = {}
    cycle.self = cycle
    for _, row in ipairs {
      { { a = { print } }, "a function has no JSON form at a[1]" }, { cycle, "in a cycle, at self.self" },
      { { x = "\255" }, "a string is not valid UTF-8 at x" }, { { 0 / 0 }, "a number is not finite at [1]" },
      { { math.huge }, "a number is not finite at [1]" },
      { { [print] = 1 }, "a key is neither a string nor an integer" },
      { coroutine.create(print), "a thread has no JSON form" },
    } do
      local request = service("/a"):post { json = row[1] }
      equal(request.state, "completed")
      local _, err = request:await()
      equal(err.cause.kind, "invalid_json_object")
      equal(err.user_message, "Cannot send request")
      contains(err.cause.message, row[2])
      contains(tostring(err), "(POST https://api.test/v1/a)")
    end
    equal(#sent, 0)
  end)

  it("of a pattern: what is none", function()
    local service = fresh()
    for _, bad in ipairs { 7, true, lull.entity {}, service, lull.success {} } do
      raises("bad argument #1 to 'configure'", function() service:configure(bad, {}) end)
      raises("bad argument #1 to 'transform'", function() service:transform(bad, print) end)
      raises("bad argument #1 to 'wipe_resources'", function() service:wipe_resources(bad) end)
      raises("bad argument #1 to 'invalidate_resources'", function() service:invalidate_resources(bad) end)
    end
    raises("is not a regular expression", function() lull.regex("(") end)
    raises("the only option is \"i\"", function() lull.regex("a", "x") end)
  end)

  it("of a setting: an unknown one, or one that does not fit", function()
    local service = fresh()
    raises("unknown setting 'expiraton_time' (did you mean 'expiration_time'?)", function()
      service:configure { expiraton_time = 1 }
    end)
    raises("did you mean 'decorate_requests'?", function() service:configure { decorate_request = print } end)
    raises("did you mean 'pipeline'?", function() lull.service { pipelin = {} } end)
    raises("'expiration_time' must be a number of seconds", function() service:configure { expiration_time = "x" } end)
    raises("'retry_time' must be a number of seconds", function() service:configure { retry_time = -1 } end)
    raises("'expiration_time' must be a number of seconds", function()
      service:configure { expiration_time = 0 / 0 }
    end)
    raises("'max_body_size' must be a whole number", function() service:configure { max_body_size = 1.5 } end)
    raises("'connections_per_host' must be a whole number, 1 or more", function()
      service:configure { connections_per_host = 0 }
    end)
    raises("'mutate_requests' must be a function or a list of functions", function()
      service:configure { mutate_requests = { print, "x" } }
    end)
  end)

  it("is raised at the caller's line through pcall, methods and tail calls", function()
    local resource = fresh()("/a")
    local function call() resource:child(nil) end
    local ok, message = pcall(call)
    equal(ok, false)
    contains(message, "misuse_spec.lua:" .. debug.getinfo(call, "S").linedefined .. ":")
  end)

  it("called with a dot names the method and the colon", function()
    local service = fresh()
    local resource = service("/a")
    raises("colon", function() service.resource("/a") end)
    raises("'resource'", function() service.resource("/a") end)
    raises("colon", function() resource.load() end)
    raises("'load'", function() resource.load() end)
    raises("colon", function() resource.child("b") end)
    raises("colon", function() resource.load({}) end)
    raises("Resource", function() resource.load(service) end)
  end)

  it("on an object of another kind names both", function()
    local service = fresh()
    local message = raises("Resource", function() service("/a").load(service) end)
    contains(message, "Service")
  end)

  it("of an unknown field names the nearest one", function()
    local service = fresh()
    local resource = service("/a")
    raises("did you mean 'load_if_needed'?", function() resource:load_if_need() end)
    raises("did you mean 'latest_data'?", function() return resource.latestData end)
    raises("did you mean 'base_url'?", function() return service.baseurl end)
    raises("did you mean 'on_success'?", function() resource:load():on_sucess(print) end)
    raises("'zzzzzzz'", function() return resource.zzzzzzz end)
    raises("did you mean 'content_type'?", function() return lull.entity({}).contenttype end)
    raises("did you mean 'user_message'?", function() return lull.error("x").usermessage end)
  end)

  it("LUA-180 of a field that another object has names the way there", function()
    local service = fresh()
    local resource = service("/a")
    local request = resource:load()
    local function meant(code, fn) raises("(did you mean '" .. code .. "'?)", fn) end
    meant('service("/path"):get(…)', function() service:get("/a") end)
    meant('service("/path"):load(…)', function() return service.load end)
    meant('service("/path").content', function() return service.content end)
    meant("base_url", function() return service.url end)
    meant("assert(request:await()).content", function() return request.content end)
    meant("assert(request:await()).content", function() return request.json end)
    meant("assert(request:await()).status", function() return request.status end)
    meant("assert(request:await()):header(…)", function() return request:header("ETag") end)
    meant("request.response.error", function() return request.error end)
    meant("resource.latest_data.status", function() return resource.status end)
    meant("resource.latest_data.headers", function() return resource.headers end)
    meant("content", function() return resource.data end)
    meant("latest_error", function() return resource.error end)
    local entity = request:await()
    meant("response.entity.content", function() return request.response.content end)
    meant("response.error.cause", function() return request.response.cause end)
    meant("content", function() return entity.body end)
    meant("status", function() return entity.status_code end)
    equal(entity.status, 200)
    local err = lull.error("x")
    meant("user_message", function() return err.message end)
    meant("error.entity.headers", function() return err.headers end)
    excludes(raises("a Service has no field 'users'", function() return service.users end), "did you mean")
    for _ = 1, 500 do pcall(function() return service.get end) end
    equal(service("/a"), resource)
  end)

  it("LUA-181 of a name that the module does not have is reported with what it has", function()
    equal(lull.fetch, nil)
    equal(lull.json.parse, nil)
    if lull.new_thing then error("there is one") end
    local function reported(code)
      local result = spec.script('local lull = require "lull"\nlull.spawn(function()\n' .. code .. "\nend)\nlull.run()")
      return result.err
    end
    local function meant(table, name, code, line)
      contains(reported(line), ("; %s has no field '%s' (did you mean '%s'?)\n"):format(table, name, code))
    end
    meant("lull", "fetch", "lull.get(url)", "lull.fetch('http://a.example')")
    meant("lull", "fetch", "lull.get(url)", "print(lull:fetch('http://a.example'))")
    meant("lull", "http", "lull.get(url)", "lull.http.get('http://a.example')")
    meant("lull", "servce", "lull.service", "local api = lull.servce{}")
    meant("lull", "jsn", "lull.json", "print(lull.jsn.decode('1'))")
    meant("lull.json", "parse", "lull.json.decode(text)", "print(lull.json.parse('1'))")
    meant("lull.time", "prase", "lull.time.parse", "print(lull.time.prase('x'))")
    contains(reported "lull.frobnicate()", "(field 'frobnicate'); lull has no field 'frobnicate'\n")
    for _, code in ipairs {
      "local lull = {} lull.fetch()", "lull.get = nil lull.get()", "local x = {} x.lull = lull x.fetch()",
      "local t = { lull = {} } t.lull.fetch()", "lull.version.fetch()", "lull.frobnicate = {} lull.frobnicate.get()",
    } do
      local text = reported(code)
      contains(text, " a nil value (", code)
      excludes(text, "has no field", code)
    end
  end, { seconds = 60 })

  it("LUA-182 of a global lull names the line that is missing", function()
    if spec.is_stock then return end
    local hint = '(global \'lull\'); add this line at the top: local lull = require "lull"\n'
    contains(spec.script("print(lull.version)").err, hint)
    contains(spec.script("lull:get('http://a.example')").err, hint)
    excludes(spec.script("local lull\nprint(lull.version)").err, "add this line")
    excludes(spec.script("print(lul.version)").err, "add this line")
  end)

  it("of a field that cannot be assigned says so", function()
    local service = fresh()
    raises("read-only", function() service("/a").url = "x" end)
    raises("read-only", function() service.base_url = "x" end)
    raises("'foo'", function() service("/a").foo = "x" end)
    raises("'cached_resource_count_limit'", function() service.cached_resource_count_limit = -1 end)
    raises("'cached_resource_count_limit'", function() service.cached_resource_count_limit = "x" end)
  end)

  it("with too many arguments says so", function()
    raises("too many arguments to 'load'", function() fresh()("/a"):load(1) end)
  end)

  it("of a service's table names the key", function()
    raises("'networking'", function() lull.service { networking = 7 } end)
    raises("'base_url'", function() lull.service { base_url = 7 } end)
    raises("'standard_transformers'", function() lull.service { standard_transformers = { "xml" } } end)
    raises("did you mean 'networking'?", function() lull.service { netwrking = print } end)
    raises("setting", function() lull.service { 1, 2 } end)
  end)

  it("leaves nothing half done", function()
    local service, sent = fresh()
    local resource = service("/a")
    pcall(resource.request, resource, "GET", 7)
    pcall(resource.post, resource, { jsn = 1 })
    spec.turn()
    equal(#sent, 0)
    equal(resource.is_requesting, false)
    pcall(service.configure, service, { expiration_time = 5, nonsense = 1 })
    equal(service:configuration_for(resource).expiration_time, 30.0)
  end)

  it("never happens when objects are compared, printed, used as keys or measured", function()
    local service = fresh()
    local resource = service("/a")
    local request = resource:load()
    for _, object in ipairs { service, resource, request, lull.error("x"), lull.entity({}), lull.log,
      lull.null, lull.regex("a"), lull.spawn(function() end), resource:observe(print and function() end) } do
      equal(type(tostring(object)), "string")
      equal(object == object, true)
      equal(object == 7, false)
      equal(object ~= service or object == service, true)
      equal(({ [object] = 1 })[object], 1)
      equal(tostring(object):find("0x", 1, true), nil, tostring(object))
    end
    request:await()
  end)
end)

describe("the same object", function()
  it("is the same userdata, also from hooks, observers and fields", function()
    local service = fresh()
    local resource = service("/a")
    local request = resource:load()
    equal(rawequal(request.resource, resource), true)
    equal(rawequal(resource.service, service), true)
    equal(rawequal(resource.load_requests[1], request), true)
    local keyed = { [resource] = "here" }
    spec.collect()
    equal(keyed[service("/a")], "here")
    request:await()
  end)
end)

describe("the module", function()
  it("has a version of three numbers, and the time", function()
    equal(lull.version:match("^%d+%.%d+%.%d+$"), lull.version)
    spec.near(lull.now(), os.time(), 2)
    equal(math.type(lull.now()), "float")
  end)

  it("is the same however it is required, and sets no global", function()
    equal(require "lull", lull)
    equal(rawget(_G, "lull"), nil)
  end)

  it("leaves string.format, pairs and the like alone", function()
    equal(string.format("%d", 7), "7")
    equal(tostring(nil), "nil")
  end)

  it("starts the sample API once", function() equal(lull.demo(), lull.demo()) end)
end)
