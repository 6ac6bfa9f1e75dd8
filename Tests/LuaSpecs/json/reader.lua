-- A slow and strict reader of JSON by RFC 8259 and JSN-11 to JSN-16, written to compare others with.
--
-- read(text) gives a node, or nil and the rule that the text breaks first: "grammar", "UTF-8",
-- "surrogate", "control", "depth", "encoding". A node is { kind = "null", "true", "false",
-- "string" with text, "number" with the digits in text, "array" with the nodes 1…n, "object" with
-- keys, a list in the order of first positions, and values by key }.

local deepest = 1000

-- Stops the reading: `rule` is what read gives.
local function break_rule(rule) error({ rule = rule }, 0) end

local escapes = {
  ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t",
}

-- The code unit of a \u escape whose backslash is at `at`; nil if there is none.
local function unit(text, at)
  local digits = text:match("^\\u(%x%x%x%x)", at)
  return digits and tonumber(digits, 16)
end

-- The character of the escape at `at`, and where the text goes on.
local function escape(text, at)
  local simple = escapes[text:sub(at + 1, at + 1)]
  if simple then return simple, at + 2 end
  local high = unit(text, at)
  if not high then break_rule "grammar" end
  if high < 0xD800 or high > 0xDFFF then return utf8.char(high), at + 6 end
  local low = unit(text, at + 6)
  if high > 0xDBFF or not low or low < 0xDC00 or low > 0xDFFF then break_rule "surrogate" end
  return utf8.char(0x10000 + (high - 0xD800) * 0x400 + (low - 0xDC00)), at + 12
end

-- The string whose opening quote is at `at`, and where the text goes on.
local function read_string(text, at)
  local parts = {}
  at = at + 1
  while true do
    local plain = text:match('^[^%z\1-\31"\\\128-\255]+', at)
    if plain then
      parts[#parts + 1] = plain
      at = at + #plain
    end
    local byte = text:byte(at)
    if not byte then break_rule "grammar" end
    if byte == 34 then return table.concat(parts), at + 1 end
    if byte < 32 then break_rule "control" end
    if byte == 92 then
      parts[#parts + 1], at = escape(text, at)
    else
      -- Strict: neither overlong forms nor surrogates nor what lies beyond U+10FFFF.
      if byte < 0xC2 or not utf8.len(text, at, at) then break_rule "UTF-8" end
      local after = at + (byte >= 0xF0 and 4 or byte >= 0xE0 and 3 or 2)
      parts[#parts + 1] = text:sub(at, after - 1)
      at = after
    end
  end
end

local function read_number(text, at)
  local integer = text:match("^-?0", at) or text:match("^-?[1-9]%d*", at)
  if not integer then break_rule "grammar" end
  local after = at + #integer
  after = after + #(text:match("^%.%d+", after) or "")
  after = after + #(text:match("^[eE][+-]?%d+", after) or "")
  return text:sub(at, after - 1), after
end

local function skip(text, at) return text:match("^[ \t\r\n]*()", at) end

local read_value

local function read_array(state, at, depth)
  local text, node = state.text, { kind = "array", n = 0 }
  at = skip(text, at + 1)
  if text:byte(at) == 93 then return node, at + 1 end
  while true do
    node.n = node.n + 1
    node[node.n], at = read_value(state, at, depth)
    at = skip(text, at)
    local byte = text:byte(at)
    if byte == 93 then return node, at + 1 end
    if byte ~= 44 then break_rule "grammar" end
    at = skip(text, at + 1)
  end
end

local function read_object(state, at, depth)
  local text, node = state.text, { kind = "object", keys = {}, values = {} }
  at = skip(text, at + 1)
  if text:byte(at) == 125 then return node, at + 1 end
  while true do
    if text:byte(at) ~= 34 then break_rule "grammar" end
    local key
    key, at = read_string(text, at)
    at = skip(text, at)
    if text:byte(at) ~= 58 then break_rule "grammar" end
    local value
    value, at = read_value(state, skip(text, at + 1), depth)
    if not node.values[key] then node.keys[#node.keys + 1] = key end
    node.values[key] = value
    at = skip(text, at)
    local byte = text:byte(at)
    if byte == 125 then return node, at + 1 end
    if byte ~= 44 then break_rule "grammar" end
    at = skip(text, at + 1)
  end
end

local words = { t = "true", f = "false", n = "null" }

-- The value at `at`, which lies inside `depth` containers, and where the text goes on.
function read_value(state, at, depth)
  local text = state.text
  local first = text:sub(at, at)
  if first == "[" or first == "{" then
    if depth == deepest then break_rule "depth" end
    return (first == "[" and read_array or read_object)(state, at, depth + 1)
  elseif first == '"' then
    local value, after = read_string(text, at)
    return { kind = "string", text = value }, after
  elseif words[first] then
    local word = words[first]
    if text:sub(at, at + #word - 1) ~= word then break_rule "grammar" end
    return { kind = word }, at + #word
  end
  local digits, after = read_number(text, at)
  return { kind = "number", text = digits }, after
end

-- The text in UTF-8, and whether it was in another encoding or had a mark. (JSN-15)
local function decoded(text)
  local a, b, c, d = text:byte(1, 4)
  if text:sub(1, 3) == "\xEF\xBB\xBF" then return text:sub(4), true end
  local size
  local order, mark = "<", 0
  if a == 0xFF and b == 0xFE and c == 0 and d == 0 then size, mark = 4, 4
  elseif a == 0 and b == 0 and c == 0xFE and d == 0xFF then size, order, mark = 4, ">", 4
  elseif a == 0xFF and b == 0xFE then size, mark = 2, 2
  elseif a == 0xFE and b == 0xFF then size, order, mark = 2, ">", 2
  -- A JSON text begins with an ASCII character.
  elseif a == 0 then size, order = b == 0 and 4 or 2, ">"
  elseif b == 0 then size = c == 0 and d == 0 and 4 or 2
  else return text, false end
  if (#text - mark) % size ~= 0 then break_rule "encoding" end
  local format, parts, at = order .. "I" .. size, {}, mark + 1
  while at <= #text do
    local scalar = string.unpack(format, text, at)
    at = at + size
    if size == 2 and scalar >= 0xD800 and scalar <= 0xDBFF and at <= #text then
      local low = string.unpack(format, text, at)
      if low >= 0xDC00 and low <= 0xDFFF then
        scalar, at = 0x10000 + (scalar - 0xD800) * 0x400 + (low - 0xDC00), at + 2
      end
    end
    if scalar > 0x10FFFF or scalar >= 0xD800 and scalar <= 0xDFFF then break_rule "encoding" end
    parts[#parts + 1] = utf8.char(scalar)
  end
  return table.concat(parts), true
end

-- A node, the text in UTF-8, and whether it was given in another encoding; or nil and a rule.
local function read(text)
  local is_transcoded
  local ok, node = pcall(function()
    text, is_transcoded = decoded(text)
    local state = { text = text }
    local node, at = read_value(state, skip(text, 1), 0)
    if skip(text, at) <= #text then break_rule "grammar" end
    return node
  end)
  if ok then return node, text, is_transcoded end
  if type(node) ~= "table" then error(node, 0) end
  return nil, node.rule
end

return read
