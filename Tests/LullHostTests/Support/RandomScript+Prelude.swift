extension RandomScript {
  /// What every random script begins with.
  ///
  /// Live values are kept by kind, a few of each; `try` makes one call and keeps what it gives. When
  /// the fuel is used up nothing is called any more, so that scripts come to an end.
  static let prelude = #"""
    local lull = lull
    local pool, fuel, depth = {}, 1500, 0
    calls = 0
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
      local list = pool[kind]
      return list and list[n % 8 + 1] or list and list[1]
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
    local cyclic = {}
    cyclic.self = cyclic
    local hostile = setmetatable({}, { __index = function() error("hostile") end,
      __tostring = function() error("hostile") end, __len = function() return "x" end,
      __eq = function() error("hostile") end, __name = "Service", __gc = fn(function() end) })
    local long = ("x"):rep(100000)
    api = lull.service("https://api.test")
    put(api)
    for i = 0, 5 do put(api("/" .. i)) end
    """#
}
