/// The functions over lists and records that scripts have as `lull.list` and expressions of `-f` by
/// their names alone: one text of Lua for both.
///
/// Called with the module's table, a function that raises where the first function of this text was called,
/// what stands before names in messages, and hooks, it gives a table of functions. They read plain tables,
/// content and documents alike, and wait where a function they are given waits.
enum ListFunctions {
  /// As the bridge compiles it; stays.
  // Written by the initialiser, read-only ever after.
  nonisolated(unsafe) static let source: UnsafeBufferPointer<UInt8> = {
    let text = Array((common + functions).utf8)
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
    _ = buffer.initialize(from: text)
    return UnsafeBufferPointer(buffer)
  }()

  private static let functions = #"""
    function list.map(x, ...)
      only("map", 2, select("#", ...) + 1)
      local get, done = getter("map", true, select("#", ...), (...))
      local values, count, names = read(x, "map")
      local out = {}
      for place = 1, count do
        local made = get(values[place])
        out[place] = made == nil and null or made
      end
      done(values, count)
      if names then return (record(names, count, out)) end
      return array(out)
    end

    function list.filter(x, ...)
      only("filter", 2, select("#", ...) + 1)
      local get, done = getter("filter", false, select("#", ...), (...))
      local values, count, names = read(x, "filter")
      local out, kept, total = {}, {}, 0
      for place = 1, count do
        local keep = get(values[place])
        if keep and keep ~= null then
          total = total + 1
          out[total] = values[place]
          if names then kept[total] = names[place] end
        end
      end
      done(values, count)
      if names then return (record(kept, total, out)) end
      return array(out)
    end

    function list.keys(x, ...)
      only("keys", 1, select("#", ...) + 1)
      local _, count, names = read(x, "keys")
      local out = {}
      for place = 1, count do out[place] = names and names[place] or place end
      return array(out)
    end

    function list.values(x, ...)
      only("values", 1, select("#", ...) + 1)
      local values, count = read(x, "values")
      local out = {}
      for place = 1, count do out[place] = values[place] end
      return array(out)
    end

    function list.entries(x, ...)
      only("entries", 1, select("#", ...) + 1)
      local values, count, names = read(x, "entries")
      local out = {}
      for place = 1, count do
        local key = names and names[place] or place
        out[place] = record({ "key", "value" }, 2, { key, values[place] })
      end
      return array(out)
    end

    function list.sort_by(x, ...)
      local getters, dones, down, count = {}, {}, {}, select("#", ...)
      for key = 1, count == 0 and 1 or count do
        local by, given = (select(key, ...)), count
        if type(by) == "string" and sub(by, 1, 1) == "-" then
          down[key], by = true, sub(by, 2)
          if by == "" then by, given = nil, 0 end
        end
        getters[key], dones[key] = getter("sort_by", false, given, by)
      end
      local values, total = read(x, "sort_by")
      local rows = {}
      for place = 1, total do
        local row = { place = place }
        for key = 1, #getters do
          local found = getters[key](values[place])
          row[key], row[-key] = found, rank("sort_by", found, place)
        end
        rows[place] = row
      end
      for key = 1, #dones do dones[key](values, total) end
      sort(rows, function(a, b)
        for key = 1, #getters do
          local one, other = a[-key], b[-key]
          if (one == 4) ~= (other == 4) then return other == 4 end
          if less(a[key], b[key], one, other) then return not down[key] end
          if less(b[key], a[key], other, one) then return down[key] == true end
        end
        return a.place < b.place
      end)
      local out = {}
      for place = 1, total do out[place] = values[rows[place].place] end
      return array(out)
    end

    function list.reverse(x, ...)
      only("reverse", 1, select("#", ...) + 1)
      local values, count = read(x, "reverse")
      local out = {}
      for place = 1, count do out[place] = values[count + 1 - place] end
      return array(out)
    end

    function list.group_by(x, ...)
      only("group_by", 2, select("#", ...) + 1)
      local get, done = getter("group_by", false, select("#", ...), (...))
      local values, count = read(x, "group_by")
      local out = {}
      for place = 1, count do
        local key = group("group_by", get(values[place]), place)
        local members = out[key] or array {}
        out[key] = members
        members[#members + 1] = values[place]
      end
      done(values, count)
      return out
    end

    function list.count_by(x, ...)
      only("count_by", 2, select("#", ...) + 1)
      local get, done = getter("count_by", false, select("#", ...), (...))
      local values, count = read(x, "count_by")
      local out = {}
      for place = 1, count do
        local key = group("count_by", get(values[place]), place)
        out[key] = (out[key] or 0) + 1
      end
      done(values, count)
      return out
    end

    function list.unique(x, ...)
      only("unique", 2, select("#", ...) + 1)
      local get, done = getter("unique", false, select("#", ...), (...))
      local values, count = read(x, "unique")
      local out, seen = {}, {}
      for place = 1, count do
        local key = get(values[place])
        local text = canonical(key, 1)
        if not text then
          raise(format("unique needs JSON, got %s for element %d", shown(key), place))
        end
        if not seen[text] then
          seen[text] = true
          out[#out + 1] = values[place]
        end
      end
      done(values, count)
      return array(out)
    end

    function list.first(x, ...)
      only("first", 2, select("#", ...) + 1)
      local wanted = (...)
      if select("#", ...) > 0 then whole("first", wanted, 0) end
      local values, count = read(x, "first")
      if wanted == nil then return values[1] end
      local out = {}
      for place = 1, wanted < count and wanted or count do out[place] = values[place] end
      return array(out)
    end

    function list.last(x, ...)
      only("last", 2, select("#", ...) + 1)
      local wanted = (...)
      if select("#", ...) > 0 then whole("last", wanted, 0) end
      local values, count = read(x, "last")
      if wanted == nil then return values[count] end
      local out, before = {}, wanted < count and count - wanted or 0
      for place = before + 1, count do out[place - before] = values[place] end
      return array(out)
    end

    function list.count(x, ...)
      only("count", 2, select("#", ...) + 1)
      local get, done = getter("count", false, select("#", ...), (...))
      local values, count = read(x, "count")
      if select("#", ...) == 0 then return count end
      local total = 0
      for place = 1, count do
        local found = get(values[place])
        if found and found ~= null then total = total + 1 end
      end
      done(values, count)
      return total
    end

    local function number(name, value, place)
      if math_type(value) then return end
      raise(format("%s needs numbers, got %s for element %d: write %s", name, shown(value), place,
        format(type(value) == "string" and "%s%s(x, function(v) return tonumber(v.name) end)"
          or "%s%s(x, \"name\")", prefix, name)))
    end

    -- Beyond 64 bits it goes on as a float.
    local function plus(a, b)
      local total = a + b
      if math_type(total) == "integer" and ((total ~ a) & (total ~ b)) < 0 then return a + 0.0 + b end
      return total
    end

    function list.sum(x, ...)
      only("sum", 2, select("#", ...) + 1)
      local get, done = getter("sum", false, select("#", ...), (...))
      local values, count = read(x, "sum")
      local total = 0
      for place = 1, count do
        local found = get(values[place])
        if not is_nothing(found) then
          number("sum", found, place)
          total = plus(total, found)
        end
      end
      done(values, count)
      if hooks.number then hooks.number(total) end
      return total
    end

    function list.average(x, ...)
      only("average", 2, select("#", ...) + 1)
      local get, done = getter("average", false, select("#", ...), (...))
      local values, count = read(x, "average")
      local total, seen = 0, 0
      for place = 1, count do
        local found = get(values[place])
        if not is_nothing(found) then
          number("average", found, place)
          total, seen = plus(total, found), seen + 1
        end
      end
      done(values, count)
      if seen == 0 then return null end
      total = total / seen
      if hooks.number then hooks.number(total) end
      return total
    end

    function list.min(x, ...)
      only("min", 2, select("#", ...) + 1)
      local get, done = getter("min", false, select("#", ...), (...))
      local values, count = read(x, "min")
      local found, best, best_rank = nil, nil, 4
      for place = 1, count do
        local key = get(values[place])
        local key_rank = rank("min", key, place)
        if key_rank < 4 and (best_rank == 4 or less(key, best, key_rank, best_rank)) then
          found, best, best_rank = values[place], key, key_rank
        end
      end
      done(values, count)
      return found
    end

    function list.max(x, ...)
      only("max", 2, select("#", ...) + 1)
      local get, done = getter("max", false, select("#", ...), (...))
      local values, count = read(x, "max")
      local found, best, best_rank = nil, nil, 4
      for place = 1, count do
        local key = get(values[place])
        local key_rank = rank("max", key, place)
        if key_rank < 4 and (best_rank == 4 or less(best, key, best_rank, key_rank)) then
          found, best, best_rank = values[place], key, key_rank
        end
      end
      done(values, count)
      return found
    end

    local function open(values, count, depth, out)
      for place = 1, count do
        local value = values[place]
        if depth > 0 and is_list(value) then
          local inner = value
          if type(value) ~= "table" then
            inner = {}
            for at, element in pairs(value) do inner[at] = element end
          end
          open(inner, #inner, depth - 1, out)
        else
          out[#out + 1] = value
        end
      end
    end

    function list.flatten(x, ...)
      only("flatten", 2, select("#", ...) + 1)
      local depth = (...)
      if select("#", ...) > 0 then whole("flatten", depth, 1) end
      local values, count = read(x, "flatten")
      local out = {}
      open(values, count, depth or 1, out)
      return array(out)
    end

    local function picked(value, ways, names, place)
      if is_nothing(value) then return null end
      if json_type(value) ~= "object" then
        raise(refusal("pick", "records", value) .. (place and " (element " .. place .. ")" or ""))
      end
      local results = {}
      for at = 1, #ways do
        local found, problem = field(value, ways[at])
        if found ~= nil then ways[at].is_seen = true end
        if problem then
          raise(format("pick takes the field '%s', got %s%s", names[at], problem,
            place and " in element " .. place or ""))
        end
        results[at] = found == nil and null or found
      end
      return (record(names, #ways, results))
    end

    function list.pick(x, ...)
      local names, ways = { ... }, {}
      if #names == 0 or select("#", ...) ~= #names then
        raise(refusal("pick", "the names of fields", nil))
      end
      for at = 1, #names do
        if type(names[at]) ~= "string" then
          raise(refusal("pick", "the names of fields", names[at]))
        end
        ways[at] = way(names[at])
      end
      if json_type(x) == "object" and not is_list(x) then
        local made = picked(x, ways, names)
        -- A single record may do without a field that others have; an expression has seen all of them.
        if hooks.fields then
          for at = 1, #ways do told(ways[at].is_seen, "pick", names[at], { x }, 1) end
        end
        return made
      end
      local values, count = read(x, "pick")
      local out = {}
      for place = 1, count do out[place] = picked(values[place], ways, names, place) end
      for at = 1, #ways do
        told(ways[at].is_seen, "pick", names[at], values, count)
      end
      return array(out)
    end

    function list.join(x, ...)
      only("join", 2, select("#", ...) + 1)
      local separator = (...)
      if select("#", ...) > 0 and type(separator) ~= "string" then
        raise(refusal("join", "a text between them", separator))
      end
      local values, count = read(x, "join")
      local parts = {}
      for place = 1, count do
        local value = values[place]
        if is_nothing(value) then
          parts[place] = ""
        elseif ranks[type(value)] or is_large(value) then
          parts[place] = tostring(value)
        else
          raise(format("join needs numbers, texts or booleans, got %s for element %d: write %s",
            shown(value), place, prefix .. 'join(map(x, "name"), ", ")'))
        end
      end
      return concat(parts, separator or ", ")
    end

    return list
    """#
}
