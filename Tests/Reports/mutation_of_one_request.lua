local lull = require "lull"
local api = lull.service {
  base_url = "https://user:secret@api.test/v1",
  networking = function() return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = "{}" } end,
}

local function sign(http) http.hedaers["X-Signature"] = "1" end
api("/users/7"):post({ json = {} }, sign):await()
