local lpeg = require "lpeg"
local word = lpeg.Cmt(lpeg.R("az") ^ 1, function(_, position, text)
  return position + text.length
end)
print(lpeg.match(word, "abc"))
