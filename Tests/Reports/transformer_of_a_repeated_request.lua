local lull = require "lull"
local calls = 0
local api = lull.service {
  base_url = "https://api.test",
  networking = function()
    calls = calls + 1
    return { status = calls == 1 and 401 or 200, headers = { ["Content-Type"] = "text/plain" }, body = "x" }
  end,
}
api:transform("/**", function(content) return content + 1 end)
api("/me"):load():chained(function(response)
  if response.http_status == 401 then return api("/me"):load():repeated() end
end):await()
