-- Random JSON texts, most of them well-formed: deep and wide ones, all of Unicode, escapes, numbers at
-- the edges, keys that come again; some then are damaged, and some put into another encoding.
--
-- make(seed, number) gives the same text for the same two numbers.

local random = math.random

local function pick(list) return list[random(#list)] end

local function chance(of) return random() < of end

local spaces = { " ", "\n", "\t", "\r", "  \r\n" }

-- Nothing, or white space.
local function gap() return chance(0.1) and pick(spaces) or "" end

local numbers = {
  "0", "-0", "-0.0", "0.0", "0e0", "-0e-0", "1", "-1", "1.0", "1e2", "1E+2", "12.50e-1",
  "9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993",
  "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
  "18446744073709551615", "18446744073709551616", "99999999999999999999999999", "-1" .. ("0"):rep(30),
  "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "-1.8e308", "1e308",
  "1e309", "1e999999999", "-1e400", "5e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
  "1e-400", "-1e-99999", "2.2250738585072011e-308", "2.2250738585072014e-308", "0.1", "0.30000000000000004",
  "1" .. ("0"):rep(308), "1" .. ("0"):rep(309), "0." .. ("0"):rep(340) .. "1", "3." .. ("14159"):rep(150),
  "1.00000000000000011102230246251565404236316680908203125", "8.5e22", "7205759403792794.5",
  "1.00000000000000011102230246251565404236316680908203124",
}

local wrong_numbers = {
  "00", "01", "-", "+1", "1.", ".5", "1e", "1e+", "-01", "0x10", "NaN", "Infinity", "-Infinity", "1_0",
  "1.e1", "--1", "1.5.5", "1e1.5", "0b1", "1,5",
}

-- Any double, in a form that is read as the same one.
local function double()
  local made = string.unpack("<d", string.pack("<i8", random(0)))
  local is_finite = made == made and math.abs(made) ~= math.huge
  return is_finite and ("%.17g"):format(made) or "0"
end

local function number()
  local kind = random(6)
  if kind == 1 then return chance(0.005) and pick(wrong_numbers) or pick(numbers) end
  if kind == 2 then return tostring(random(0)) end
  if kind == 3 then return double() end
  if kind == 4 then return ("%.3f"):format(random() * 1000) end
  return tostring(random(-1000, 1000))
end

-- A character as it stands in a string.
local function scalar()
  local kind = random(8)
  if kind <= 4 then return string.char(pick { 0x20, 0x21, 0x2F, 0x61, 0x7A, 0x7E, 0x7F, 0x30 }) end
  local code = kind == 5 and random(0x80, 0x7FF) or kind == 6 and random(0x800, 0xFFFF)
    or kind == 7 and random(0x10000, 0x10FFFF)
    or pick { 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF, 0x2028 }
  if code >= 0xD800 and code <= 0xDFFF then code = 0xFFFD end
  return utf8.char(code)
end

local function escaped()
  local kind = random(20)
  if kind <= 8 then return "\\" .. pick { '"', "\\", "/", "b", "f", "n", "r", "t" } end
  local form = chance(0.5) and "\\u%04x" or "\\u%04X"
  if kind <= 14 then
    local code = pick { 0, 1, 0x1F, 0x22, 0x5C, 0x7F, 0x80, 0xD7FF, 0xE000, 0xFFFF, random(0, 0xD7FF) }
    return form:format(code)
  elseif kind <= 19 then
    return form:format(random(0xD800, 0xDBFF)) .. form:format(random(0xDC00, 0xDFFF))
  end
  if chance(0.8) then return "\\n" end
  return pick {
    form:format(random(0xD800, 0xDFFF)), form:format(random(0xD800, 0xDBFF)) .. "\\u0041",
    "\\x41", "\\u12", "\\u12G4", "\\", "\\u", "\\'", "\\U0041", "\\ud800\\n",
  }
end

-- What must not stand in a string.
local wrong_bytes = {
  "\0", "\1", "\n", "\t", "\31", "\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x80\x80",
  "\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF", "\xEF\xBF", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF",
  "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xFE", "\xF0\x9F\x98",
}

local function text()
  local parts = {}
  for _ = 1, chance(0.02) and random(200, 400) or random(0, 8) do
    parts[#parts + 1] = chance(0.25) and escaped() or scalar()
  end
  if chance(0.01) then table.insert(parts, random(#parts + 1), pick(wrong_bytes)) end
  return '"' .. table.concat(parts) .. '"'
end

-- Some are the same written differently.
local keys = { '"a"', '"b"', '"\\u0061"', '""', '"id"', '"name"', '"\\u0000"', '"é"', '"\\u00e9"', '"1"' }

local function key() return chance(0.8) and pick(keys) or text() end

local value

local function array(count, levels)
  local parts = {}
  for i = 1, count do parts[i] = gap() .. value(levels) .. gap() end
  return "[" .. (count == 0 and gap() or table.concat(parts, ",")) .. "]"
end

local function object(count, levels)
  local parts = {}
  for i = 1, count do
    -- Larger ones have keys of their own and some again.
    local name = count > 10 and chance(0.9) and ('"k%d"'):format(random(2 * count)) or key()
    parts[i] = gap() .. name .. gap() .. ":" .. gap() .. value(levels) .. gap()
  end
  return "{" .. (count == 0 and gap() or table.concat(parts, ",")) .. "}"
end

function value(levels)
  local kind = random(levels > 0 and 10 or 6)
  if kind <= 2 then return number() end
  if kind <= 4 then return text() end
  if kind <= 6 then return pick { "true", "false", "null" } end
  return (kind <= 8 and array or object)(random(0, 4), levels - 1)
end

-- About a thousand levels.
local function deep()
  local levels = pick { 900, 998, 999, 1000, 1001, 1002, 1100, 3000 }
  local opening, closing = {}, {}
  for i = 1, levels do
    local is_array = chance(0.6)
    opening[i] = is_array and "[" or '{"a":'
    closing[levels + 1 - i] = is_array and "]" or "}"
  end
  local inner = opening[levels] == "[" and chance(0.5) and "" or value(0)
  return table.concat(opening) .. inner .. table.concat(closing)
end

-- Well-formed, but for what numbers, strings and depth may break.
local function document()
  local kind = random(100)
  if kind <= 50 then return (chance(0.5) and array or object)(random(0, 6), random(0, 5)) end
  if kind <= 65 then return object(random(2, 40), 1) end
  if kind <= 75 then return array(random(0, 20), 0) end
  if kind <= 85 then return value(0) end
  if kind == 86 then return deep() end
  if kind == 87 then return (chance(0.5) and array or object)(random(200, 1500), 0) end
  if kind == 88 then return array(random(800, 1200), 1) end
  return value(4)
end

local pieces = {
  ",", ":", "[", "]", "{", "}", '"', "\\", "0", "-", ".", "e", "null", "tru", " ", "\n", "\0", "\xEF\xBB\xBF",
  "1", "\x80", "/", "//", "'", "\f", "\v", "\xC2\xA0", ",,", "[]", "{}", "NaN",
}

-- The text with one thing wrong, perhaps.
local function damaged(given)
  local at, kind = random(#given + 1), random(7)
  local before, after = given:sub(1, at - 1), given:sub(at)
  if kind == 1 then return before end
  if kind == 2 then return after end
  if kind == 3 then return before .. pick(pieces) .. after end
  if kind == 4 then return before .. given:sub(at + random(3)) end
  if kind == 5 then return before .. string.char(random(0, 255)) .. given:sub(at + 1) end
  if kind == 6 then return before .. given:sub(random(#given + 1)) end
  return given .. pick(pieces)
end

-- The text in UTF-16 or UTF-32, or with a mark; as it is if it is not UTF-8.
local function transcoded(given)
  if chance(0.2) then return "\xEF\xBB\xBF" .. given end
  if not utf8.len(given) then return given end
  local order, size = pick { "<", ">" }, pick { 2, 4 }
  local format, parts = order .. "I" .. size, {}
  if chance(0.5) then parts[1] = format:pack(0xFEFF) end
  for _, code in utf8.codes(given) do
    if size == 2 and code > 0xFFFF then
      local rest = code - 0x10000
      parts[#parts + 1] = format:pack(0xD800 + (rest >> 10))
      code = 0xDC00 + (rest & 0x3FF)
    end
    parts[#parts + 1] = format:pack(code)
  end
  return table.concat(parts)
end

local function make(seed, index)
  math.randomseed(seed, index)
  local made = gap() .. document() .. gap()
  if chance(0.3) then
    for _ = 1, random(2) do made = damaged(made) end
  end
  if chance(0.08) then
    made = transcoded(made)
    if chance(0.2) then made = damaged(made) end
  end
  return made
end

return make
