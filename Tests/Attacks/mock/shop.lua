local lull = require "lull"

return {
  service = lull.service("https://api.shop.test/v2"),
  calls = {
    fine = { path = "/fine", example = { fine = true } },
    item = { path = "/items/{id}/{part}.json", params = { id = "integer", full = "boolean", sort = { "a", "b" } },
      examples = { { json = 1, when = { id = 1 } }, { status = 404 } } },
    add = { path = "/items", method = "POST", params = { name = "string", tags = "json" },
      mock = function(request, state)
        state.count = (state.count or 0) + 1
        if state.count % 3 == 0 then lull.sleep(0.001) end
        return { json = request.params }
      end },
    form = { path = "/form", method = "PUT", body = "form", params = { n = "integer" }, example = {} },
    whatever = { path = "/echo", method = "PATCH", mock = function(request)
      return { headers = { ["X-Echo"] = request.query.x }, body = request.body }
    end },
  },
}
