---@meta lull.test

---@type lull.TestModule
local test

return test
