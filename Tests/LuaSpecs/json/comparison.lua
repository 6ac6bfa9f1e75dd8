-- Whether Lull reads a JSON text as RFC 8259 and JSN-11 to JSN-17 say: content, document and
-- lull.json.decode, compared with the strict reader of this folder and with lua-cjson.
--
-- comparison(lull, folder[, cjson]) gives compare(text) → the rule that the text breaks, "accepted" or
-- "transcoded"; raises where anybody differs. Must be called where it may wait.

-- Patterns of what Lull says when a rule is broken; "grammar" is anything else.
local phrases = {
  ["UTF-8"] = "^invalid UTF%-8", surrogate = "half of a surrogate pair", control = "a control character",
  depth = "nested more than 1000 levels", encoding = "invalid UTF-",
}

local function fails(what, ...) error(what:format(...), 0) end

local function check(condition, what, ...)
  if not condition then fails(what, ...) end
end

-- Whether it is an integer beyond 64 signed bits or a number beyond floats, which has a value of its own.
local function is_large(text)
  local value = tonumber(text)
  return math.abs(value) == math.huge or not text:find "[.eE]" and math.type(value) == "float"
end

-- An integer of 64 signed bits, or the double; of -0 the integer.
local function number(text)
  local value = tonumber(text)
  if math.type(value) == "integer" and text:find "[.eE]" then return value + 0.0 end
  return value
end

local function is_same_number(value, text)
  if is_large(text) then return type(value) == "userdata" and tostring(value) == text end
  local expected = number(text)
  if math.type(value) ~= math.type(expected) or value ~= expected then return false end
  if math.type(value) == "integer" then return text == "-0" or tostring(value) == text end
  return value ~= 0 or 1 / value == 1 / expected
end

return function(lull, folder, cjson)
  local read = dofile(folder .. "/reader.lua")
  if cjson then
    cjson.decode_max_depth(1000)
    cjson.decode_invalid_numbers(false)
  end

  local body
  local request = lull.service {
    base_url = "http://fuzz.test",
    networking = function()
      return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = body }
    end,
  }("/text")

  local same_tables, same_view, same_foreign

  -- What is no container.
  local function same_atom(value, node)
    if node.kind == "null" then return rawequal(value, lull.null) end
    if node.kind == "string" then return value == node.text end
    if node.kind == "number" then return is_same_number(value, node.text) end
    return value == (node.kind == "true")
  end

  -- Plain tables.
  function same_tables(value, node)
    if node.kind ~= "array" and node.kind ~= "object" then return same_atom(value, node) end
    if type(value) ~= "table" then return false end
    local count, elements, wanted = 0, node.values, node.keys and #node.keys
    if node.kind == "array" then elements, wanted = node, node.n end
    for key, element in next, value do
      count = count + 1
      if not elements[key] or not same_tables(element, elements[key]) then return false end
    end
    return count == wanted
  end

  -- A view, its walk and its index.
  function same_view(value, node)
    if node.kind ~= "array" and node.kind ~= "object" then return same_atom(value, node) end
    if type(value) ~= "userdata" or rawequal(value, lull.null) then return false end
    local count = 0
    for key, element in pairs(value) do
      count = count + 1
      local expected = node[count]
      if node.kind == "object" then
        if key ~= node.keys[count] then return false end
        expected = node.values[key]
      elseif key ~= count then
        return false
      end
      if not expected or not same_view(element, expected) then return false end
      -- Another view of the same, or the same value.
      local found = value[key]
      if type(found) ~= type(element) or type(found) ~= "userdata" and found ~= element then return false end
    end
    if node.kind == "object" then return count == #node.keys and #value == 0 end
    return count == node.n and #value == node.n and value[count + 1] == nil
  end

  -- What lua-cjson gives: all numbers are doubles, and empty arrays are empty tables.
  function same_foreign(value, node)
    if node.kind == "null" then return value == cjson.null end
    if node.kind == "number" then return value == tonumber(node.text) + 0.0 end
    if node.kind ~= "array" and node.kind ~= "object" then return same_atom(value, node) end
    local count, elements, wanted = 0, node.values, node.keys and #node.keys
    if node.kind == "array" then elements, wanted = node, node.n end
    for key, element in next, value do
      count = count + 1
      if not elements[key] or not same_foreign(element, elements[key]) then return false end
    end
    return count == wanted
  end

  local function refuses(message, rule, who)
    check(type(message) == "string", "%s gives no reason for %s", who, rule)
    if phrases[rule] then
      check(message:find(phrases[rule]), "%s of %s: %s", who, rule, message)
      return
    end
    for other, phrase in pairs(phrases) do
      check(not message:find(phrase), "%s says %s of broken grammar: %s", who, other, message)
    end
  end

  return function(text)
    body = text
    local node, decoded, is_transcoded = read(text)
    local value, message = lull.json.decode(text)
    local entity, err = request:request("GET"):await()
    if not node then
      local rule = decoded
      check(value == nil, "decode accepts what breaks the rule: %s", rule)
      -- In a response, values that follow each other on lines are a list. (JSN-92)
      if entity and rule == "grammar" and text:find("^%s*[{%[]") and text:find("[}%]][ \t\r]*\n") then
        check(#entity.content >= 2, "a response with it is accepted, and is no list of values")
        refuses(message, rule, "decode")
        return rule
      end
      check(entity == nil, "a response with it is accepted: %s", rule)
      check(err.cause.kind == "malformed_json", "the cause is %s", err.cause.kind)
      refuses(message, rule, "decode")
      refuses(err.cause.message, rule, "the cause")
      return rule
    end
    check(value ~= nil, "decode refuses it: %s", message)
    check(entity, "a response with it is refused: %s", err)
    local content, document = entity.content, entity.document
    check(same_tables(value, node), "decode reads it wrongly")
    check(same_tables(content, node), "content is wrong")
    check(same_view(document, node), "the document is wrong")
    check(lull.json.equal(content, document), "content and document differ")
    check(lull.json.equal(document, value), "document and decoded value differ")
    local written = lull.json.encode(document)
    local again = lull.json.decode(written)
    check(again ~= nil and lull.json.equal(again, document), "encoded it is something else")
    if cjson then
      local ok, theirs = pcall(cjson.decode, decoded)
      check(ok, "lua-cjson refuses it: %s", theirs)
      check(same_foreign(theirs, node), "lua-cjson reads it differently")
    end
    return is_transcoded and "transcoded" or "accepted"
  end
end
