extension RandomScript {
  /// What every random script begins with.
  ///
  /// Live values are kept by kind, a few of each; `try` makes one call and keeps what it gives. When
  /// the fuel is used up nothing is called any more, so that scripts come to an end.
  static let prelude = #"""
    local lull = lull
    local pool, fuel, round, groups = {}, 6000, 0, {}
    calls, taken = 0, 0
    local function kind_of(v)
      local meta = debug.getmetatable(v)
      return type(v) == "userdata" and meta and rawget(meta, "__name") or type(v)
    end
    local function put(v)
      if v == nil then return end
      local kind = kind_of(v)
      local list = pool[kind] or { at = 0 }
      pool[kind] = list
      list.at = list.at % 8 + 1
      list[list.at] = v
    end
    local function pick(kind, n)
      local list = pool[kind] or pool.Resource
      return list and list[(n + round) % 8 + 1] or list and list[1]
    end
    local function keep(ok, ...)
      for i = 1, math.min(4, (select("#", ...))) do put((select(i, ...))) end
    end
    local function try(fn)
      if fuel <= 0 then return end
      fuel = fuel - 1
      calls = calls + 1
      keep(pcall(fn))
    end
    local function fn(f)
      return function(...)
        if fuel <= 0 then return end
        fuel = fuel - 1
        keep(true, ...)
        return f(...)
      end
    end
    function out_of_fuel() fuel = 0 end
    local function drop(kind) pool[kind] = nil end
    local dumps = { string.dump(fn), string.dump(try, true), string.dump(put) }
    -- A precompiled chunk, with a byte changed, by one of the ways in.
    local function precompiled(n, at, byte, mode, way)
      local chunk = dumps[n % #dumps + 1]
      at = at % (#chunk - 1) + 2
      chunk = chunk:sub(1, at - 1) .. string.char(byte) .. chunk:sub(at)
      local piece = way == 1 and #chunk or 1
      at = 1 - piece
      local function read() at = at + piece return chunk:sub(at, at + piece - 1) end
      local made = load(way == 0 and chunk or read, "precompiled", mode, way == 2 and {} or nil)
      if made then
        taken = taken + 1
        return made()
      end
    end
    local cyclic = {}
    cyclic.self = cyclic
    local hostile = setmetatable({}, { __index = function() error("hostile") end,
      __tostring = function() error("hostile") end, __len = function() return "x" end,
      __eq = function() error("hostile") end, __name = "Service", __gc = fn(function() end) })
    local long = ("x"):rep(100000)
    api = lull.service("https://api.test")
    put(api)
    for i = 0, 5 do put(api("/" .. i)) end
    local own = lull.service{ base_url = "https://own.test", networking = function(http, complete, report)
      put(http) put(http.headers) put(complete) put(report)
      return { json = { 1, { a = "b" } }, headers = { etag = "e" } }
    end }
    put(own)
    own:configure(function(config)
      put(config) put(config.headers) put(config.pipeline) put(config.pipeline.model)
      config:mutate_requests(function(http) put(http) end)
    end)
    put(own:configuration_for(own("/")))
    local request = own("/data"):load()
    put(request) put(own("/data"))
    put(lull.error("none")) put(lull.failure("none")) put(lull.success{ content = { 1 } })
    put(lull.entity{ content = { a = { 1 } } }) put(lull.regex("a")) put(lull.cache.memory())
    put(lull.secret{ env = "LULL_NO_SUCH" }) put(lull.auth.bearer("t"))
    put(lull.custom_request{ start = function(complete) put(complete) end }:start())
    put(lull.hard_wired_request(lull.success{ content = "x" }))
    put(own("/data"):observe(function(resource, event) put(resource) end))
    put(lull.spawn(function() lull.sleep(1000) end))
    lull.spawn(function()
      local entity = request:await()
      put(entity) put(request.response)
      if entity then put(entity.headers) put(entity.document) put(entity.content) end
      put(select(2, own:resources()))
    end)
    put({ 1, 2 }) put("text") put(5) put(type) put(coroutine.create(function() end)) put(io.stdout)
    """#
}
