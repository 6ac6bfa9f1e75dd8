-- lull.validate.
local lull = require "lull"
local spec = ...
local describe, it, equal = spec.describe, spec.it, spec.equal
local raises = spec.raises

describe("lull.validate", function()
  local schema = {
    type = "object", required = { "id" },
    properties = { id = { type = "integer" }, tags = { type = "array", items = { type = "string" } } },
  }

  it("SCH-17 says true, or nil and what does not fit", function()
    equal(lull.validate(schema, { id = 7, tags = { "a" } }), true)
    local fits, errors = lull.validate(schema, { id = "7", tags = { "a", 2 } })
    equal(fits, nil)
    equal(#errors, 2)
    -- Tables have no order.
    table.sort(errors, function(one, other) return one.pointer < other.pointer end)
    equal(errors[1].pointer, "/id")
    equal(errors[1].keyword, "type")
    equal(errors[1].message, 'must be a whole number, got "7"')
    equal(errors[2].pointer, "/tags/1")
  end)

  it("SCH-17 takes schemas as JSON and as booleans, and content of any kind", function()
    equal(lull.validate('{"type":["null","string"]}', lull.null), true)
    equal(lull.validate('{"type":["null","string"]}', "text"), true)
    equal(lull.validate({}, {}), true)
    equal(lull.validate(true, 1), true)
    equal(lull.validate(false, 1), nil)
    equal(lull.validate({ enum = {} }, 1), nil)
  end)

  it("SCH-17 raises for what cannot be used", function()
    raises("there is no type 'text'", function() lull.validate({ type = "text" }, 1) end)
    raises("is not JSON", function() lull.validate("{", 1) end)
    raises("the content must be a JSON value, got nil", function() lull.validate({}, nil) end)
    raises("the content cannot be encoded", function() lull.validate({}, print) end)
  end)
end)
