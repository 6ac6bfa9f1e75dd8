error(setmetatable({}, { __tostring = function() return "code 7" end }))
