-- expects: limit
local lull = require "lull"

local api = lull.service("http://a.invalid")

local blanks, parameters = (" "):rep(1 << 20), {}
for index = 1, 3000 do parameters["p" .. index] = blanks end
print(#api("/a"):with_params(parameters).url)
