-- Settings of the network proper: timings, redirects, cookies, TLS, proxies, against the sample API.
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, raises = spec.contains, spec.raises

describe("record_timings", function()
  it("tells the parts of an exchange, of responses, entities and errors", function()
    local service = spec.demo { record_timings = true }
    local request = service("/echo"):load()
    local entity = assert(request:await())
    local timings = request.response.timings
    same(entity.timings, timings)
    check(timings.first_byte > 0)
    check(timings.total >= timings.dns + timings.connect + timings.first_byte)
    check(timings.tls == 0)
    equal(timings.http_version, "1.1")
    equal(timings.redirect_count, 0)
    contains(timings.remote_address, "127.0.0.1:")
    local again = assert(service("/redirect/2"):load():await()).timings
    equal(again.is_reused, true)
    check(again.connect == 0)
    equal(again.redirect_count, 2)
    local _, err = service("/status/404"):load():await()
    check(err.timings.total > 0)
  end)

  it("tells nothing unless it is set, and can be set by pattern", function()
    local service = spec.demo()
    service:configure("/echo", { record_timings = true })
    equal(assert(service("/text"):load():await()).timings, nil)
    check(assert(service("/echo"):load():await()).timings)
    equal(service:configuration_for(service("/echo")).record_timings, true)
    equal(service:configuration_for(service("/text")).record_timings, false)
  end)

  it("is true or false", function()
    raises("'record_timings' must be true or false, got 1", function()
      lull.service { record_timings = 1 }
    end)
  end)
end)
