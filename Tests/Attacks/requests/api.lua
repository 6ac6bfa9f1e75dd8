local lull = require "lull"

return {
  service = lull.service("https://api.shop.test/v2"),
  calls = {
    fine = { path = "/fine", example = { fine = true } },
    echo = { path = "/echo", method = "POST", body = "raw", params = { body = { type = "file", whole = true } },
      mock = function(request)
        return { body = request.body }
      end },
  },
}
