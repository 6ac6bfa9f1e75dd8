local lull = require "lull"
local api = lull.service {
  base_url = "https://user:secret@api.test/v1",
  networking = function() return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = "{}" } end,
}

api:configure("/users/*", function(config)
  config.pipeline.cleanup:add_transformer(function(response)
    if response.is_success then return "fine" end
    return response
  end)
end)
api("/users/7"):load():await()
