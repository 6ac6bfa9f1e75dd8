local lull = require "lull"
local request = lull.custom_request {
  description = "import of users",
  start = function(complete)
    lull.sleep(0)
    complete(lull.sucess {})
  end,
}
local _, err = request:start():await()
print(err)
