-- Progress of real transfers, as on_progress and an observer's table hear of it (PRG).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check

-- A server that gives one answer, its body in `pieces` of `size` bytes with a pause before each, and
-- takes in the body of the request as slowly; its URL. Debian's python3: Lua has no sockets.
local function dripping(pieces, size, announces)
  local server = assert(io.popen(([[python3 -c '
import socket, time
listener = socket.create_server(("127.0.0.1", 0))
listener.settimeout(20)
print(listener.getsockname()[1], flush=True)
peer, _ = listener.accept()
peer.settimeout(20)
head, body = b"", b""
while b"\r\n\r\n" not in head:
    head += peer.recv(1)
length = [int(line[15:]) for line in head.lower().split(b"\r\n") if line[:15] == b"content-length:"]
left = length[0] if length else 0
while left > 0:
    time.sleep(0.01)
    left -= len(peer.recv(min(left, 1 << 19)))
pieces, size, announces = %d, %d, %d
peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n")
peer.sendall(b"Content-Length: %%d\r\n\r\n" %% (pieces * size) if announces else b"\r\n")
for _ in range(pieces):
    time.sleep(0.01)
    peer.sendall(b"x" * size)
peer.close()
']]):format(pieces, size, announces and 1 or 0)))
  return "http://127.0.0.1:" .. server:read("l"), server
end

-- Whether `values` is what somebody may be told: it rises, has at least `count` values that are
-- neither 0 nor 1, and ends with 1.
local function check_rise(values, count, what)
  local between = 0
  for i, value in ipairs(values) do
    check(value >= (values[i - 1] or 0), what .. " goes back: " .. spec.show(values))
    if value > 0 and value < 1 then between = between + 1 end
  end
  equal(values[#values], 1.0, what)
  check(between >= count, ("%s: too few of %s"):format(what, spec.show(values)))
end

-- What an observer's table and on_progress hear of a load, which must be the same.
local function load_and_listen(resource)
  local observed, hooked = {}, {}
  local observation = resource:observe {
    resource_request_progress = function(_, r, value)
      equal(r, resource)
      observed[#observed + 1] = value
    end,
    resource_changed = function(_, _, event)
      if event == "new_data" then observed[#observed + 1] = event end
    end,
  }
  local request = resource:load():on_progress(function(value) hooked[#hooked + 1] = value end)
  assert(request:await())
  observation:stop()
  equal(table.remove(observed), "new_data", "PRG-29: 1 comes before the event")
  same(observed, hooked)
  return hooked
end

describe("progress", function()
  it("PRG-03 rises while a slow server is waited for, with every load", function()
    local service = spec.demo { progress_reporting_interval = 0.01 }
    local resource = service("/slow"):with_param("seconds", 0.3)
    for i = 1, 3 do check_rise(load_and_listen(resource), 3, "load " .. i) end
  end)

  it("PRG-02 begins at 0, whatever the connection carried before", function()
    local service = spec.demo()
    for _ = 1, 3 do
      assert(service("/bytes/1000"):load():await())
      local request = service("/slow"):with_param("seconds", 0.1):get()
      equal(request.progress, 0.0)
      assert(request:await())
      equal(request.progress, 1.0)
    end
  end)

  it("PRG-05 follows a body that drips in", function()
    local url, server = dripping(20, 50000, true)
    local service = lull.service { base_url = url, progress_reporting_interval = 0.005 }
    check_rise(load_and_listen(service("/a")), 10, "announced")
    server:close()
  end)

  it("PRG-06 follows a body whose length nobody knows", function()
    local url, server = dripping(20, 5000, false)
    local service = lull.service { base_url = url, progress_reporting_interval = 0.005 }
    check_rise(load_and_listen(service("/a")), 10, "not announced")
    server:close()
  end)

  it("PRG-11 follows a large body that goes out", function()
    local url, server = dripping(1, 2, true)
    local service = lull.service { base_url = url, progress_reporting_interval = 0.005 }
    local values = {}
    local request = service("/a"):post { text = ("x"):rep(16000000) }
    request:on_progress(function(value) values[#values + 1] = value end)
    assert(request:await())
    check_rise(values, 5, "upload")
    server:close()
  end, { seconds = 20 })

  it("PRG-24 comes at the interval that is configured", function()
    local function count(interval)
      local service = spec.demo { progress_reporting_interval = interval }
      return #load_and_listen(service("/slow"):with_param("seconds", 0.3))
    end
    equal(count(10), 1, "only the 1 at the end")
    check(count(0.01) > 3)
  end)
end)
