local lull = require "lull"
local api = lull.service {
  base_url = "https://api.test",
  expiraton_time = 30,
}
