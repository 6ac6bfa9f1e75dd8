local lull = require "lull"
local api = lull.service("https://api.test")
print(api:resource("/a"):laod())
