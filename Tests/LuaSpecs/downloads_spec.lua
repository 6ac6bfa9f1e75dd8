-- Answers that become files (DWN), from a real nginx where ranges matter.
local lull = require "lull"
local spec = ...
local describe, it, equal, raises = spec.describe, spec.it, spec.equal, spec.raises
local contains, check = spec.contains, spec.check

-- What is in a folder, by name, hidden or not.
local function files(folder) return spec.shell("ls -A " .. folder .. " | LC_ALL=C sort | tr '\n' ' '") end

-- An nginx whose root is the folder www below the one that it gets, with these options in its server block.
local function with_nginx(folder, options)
  spec.shell("mkdir -p " .. folder .. "/www")
  for _ = 1, 10 do
    local port = math.random(20000, 60000)
    local settings = [[
      daemon on; master_process off; pid FOLDER/nginx.pid; error_log FOLDER/error.log;
      events { worker_connections 64; }
      http {
        access_log off; default_type text/plain;
        client_body_temp_path FOLDER/b; proxy_temp_path FOLDER/p; fastcgi_temp_path FOLDER/f;
        uwsgi_temp_path FOLDER/u; scgi_temp_path FOLDER/s;
        server { listen 127.0.0.1:PORT; root FOLDER/www; ]] .. options .. " } }"
    settings = settings:gsub("FOLDER", folder):gsub("PORT", port)
    assert(lull.write_file(folder .. "/nginx.conf", settings))
    local said = spec.shell(("/usr/sbin/nginx -p %s -e error.log -c %s/nginx.conf"):format(folder, folder))
    if said == "" then
      local guard = setmetatable({}, { __close = function()
        spec.shell("kill $(cat " .. folder .. "/nginx.pid)")
      end })
      return "http://127.0.0.1:" .. port, guard
    end
  end
  error("nginx does not start")
end

-- The same with a file of 3,000,000 bytes at /slow, which takes three seconds; there is a folder out.
local function with_slow_file(folder)
  local url, guard = with_nginx(folder, "location = /slow { alias FOLDER/www/large; limit_rate 1m; }")
  spec.shell("mkdir " .. folder .. "/out; head -c 3000000 /dev/urandom > " .. folder .. "/www/large")
  return url, guard
end

describe("a download", function()
  it("DWN-01 DWN-02 writes what comes, and leaves the resource as it is", function()
    local folder, guard <close> = spec.temporary_folder()
    local user = spec.demo()("/users/7")
    for _, options in ipairs { {}, { resume = true }, { resume = false } } do
      local entity = assert(user:download(folder .. "/user", options):await())
      equal(entity.content, folder .. "/user")
      equal(entity.text, folder .. "/user")
      equal(entity.http_status, 200)
      contains(entity.content_type, "application/json")
      contains(lull.read_file(folder .. "/user"), '"id":7')
      equal(user.latest_data, nil)
      equal(files(folder), "user ")
    end
    check(guard)
  end)

  it("DWN-02 has a path that is no UTF-8, and one with spaces", function()
    local folder, guard <close> = spec.temporary_folder()
    local user = spec.demo()("/users/7")
    for _, name in ipairs { "caf\xE9", "a b '\"", "-", "\n" } do
      for _, resume in ipairs { false, true } do
        local entity = assert(user:download(folder .. "/" .. name, { resume = resume }):await())
        equal(entity.content, folder .. "/" .. name)
        contains(lull.read_file(folder .. "/" .. name), '"id":7')
        assert(os.remove(folder .. "/" .. name))
      end
    end
    equal(files(folder), "")
    check(guard)
  end)

  it("DWN-02 has the path of a device, too", function()
    equal(assert(spec.demo()("/users/7"):download("/dev/null"):await()).content, "/dev/null")
  end)

  it("DWN-08 asks nobody by HEAD", function()
    local folder, guard <close> = spec.temporary_folder()
    assert(lull.write_file(folder .. "/user", "mine"))
    local by_head = { mutate = function(http) http.method = "HEAD" end }
    local entity, problem = spec.demo()("/users/7"):download(folder .. "/user", by_head):await()
    equal(entity, nil)
    contains(problem.user_message, "the response to HEAD has no body")
    equal(lull.read_file(folder .. "/user"), "mine")
    check(guard)
  end)

  it("DWN-03 of an error writes nothing, and has its body", function()
    local folder, guard <close> = spec.temporary_folder()
    local entity, err = spec.demo()("/status/404"):download(folder .. "/a", { resume = true }):await()
    equal(entity, nil)
    equal(err.http_status, 404)
    check(err.content ~= nil)
    equal(files(folder), "")
    check(guard)
  end)

  it("DWN-03 that is cancelled, offline or never answered leaves nothing", function()
    local folder, guard <close> = spec.temporary_folder()
    local service = spec.demo()
    local request = service("/slow"):with_param("seconds", 3):download(folder .. "/a", { resume = true })
    lull.sleep(0.05)
    request:cancel()
    local _, err = request:await()
    equal(err.cause.kind, "request_cancelled")
    equal(files(folder), "")
    service.is_offline = true
    _, err = service("/users/7"):download(folder .. "/a", { resume = true }):await()
    equal(err.cause.kind, "offline")
    equal(files(folder), "")
    check(guard)
  end)

  it("DWN-120 takes progress, and shows none where there is no terminal", function()
    local folder, guard <close> = spec.temporary_folder()
    for _, progress in ipairs { true, false, "photo" } do
      local service = spec.fake(spec.answer("text/plain", "abc"))
      local entity = assert(service("/a"):download(folder .. "/a", { progress = progress }):await())
      equal(lull.read_file(entity.content), "abc")
    end
    spec.raises("'progress' must be true, false or a label, got 7", function()
      spec.fake(spec.answer("text/plain", ""))("/a"):download(folder .. "/b", { progress = 7 })
    end)
    check(guard)
  end)

  it("DWN-17 writes what a networking function answers", function()
    local folder, guard <close> = spec.temporary_folder()
    local service, sent = spec.fake({
      spec.answer("text/plain", "a\0b"), spec.answer("text/plain", ""), { status = 404, body = "x" },
    })
    for _, body in ipairs { "a\0b", "" } do
      local entity = assert(service("/x/y.bin"):download(folder, { resume = #sent == 0 }):await())
      equal(entity.content, folder .. "/y.bin")
      equal(lull.read_file(entity.content), body)
      os.remove(entity.content)
    end
    local _, err = service("/x/y.bin"):download(folder, { resume = true }):await()
    equal(err.http_status, 404)
    equal(files(folder), "")
    equal(sent[1].headers["accept-encoding"], "identity")
    local answers = lull.testing.stub { ["GET /a"] = { body = "stub" } }
    local stub = lull.service { base_url = "https://api.test", networking = answers }
    assert(stub("/a"):download(folder .. "/a"):await())
    equal(lull.read_file(folder .. "/a"), "stub")
    check(guard)
  end)

  it("DWN-14 has no timeout but that of its call", function()
    local folder, guard <close> = spec.temporary_folder()
    local service = spec.demo { timeout = 0.05 }
    local slow = service("/slow"):with_param("seconds", 0.3)
    assert(slow:download(folder .. "/a"):await())
    local _, err = slow:download(folder .. "/a", { timeout = 0.05 }):await()
    contains(err.user_message, "0.05 s (timeout)")
    service:configure { idle_timeout = 0.05 }
    _, err = slow:download(folder .. "/a"):await()
    contains(err.user_message, "(idle_timeout)")
    service:configure { idle_timeout = false }
    assert(slow:download(folder .. "/a"):await())
    check(guard)
  end)

  it("DWN-13 says what cannot be written, and asks for nothing", function()
    local folder, guard <close> = spec.temporary_folder()
    local service, sent = spec.fake(spec.json "1")
    for path, problem in pairs {
      [folder .. "/no/such"] = "No such file or directory", ["/proc/version"] = "Permission denied",
      [folder .. "/none/"] = "there is no such folder",
    } do
      local _, err = service("/a"):download(path, { resume = true }):await()
      equal(err.cause.kind, "file_unavailable")
      if path ~= "/proc/version" then equal(err.user_message, ("cannot write %s: %s"):format(path, problem)) end
    end
    equal(#sent, 0)
    check(guard)
  end)

  it("sends headers of its own, and is repeated with all of it", function()
    local folder, guard <close> = spec.temporary_folder()
    local service, sent = spec.fake(spec.answer("text/plain", "x"))
    local seen = 0
    local request = service("/a"):download(folder .. "/a", {
      headers = { A = "b" }, mutate = function(http) seen = seen + 1; http.headers.C = "d" end,
    })
    assert(request:await())
    assert(request:repeated():start():await())
    equal(seen, 2)
    equal(#sent, 2)
    for i = 1, 2 do
      equal(sent[i].headers.a, "b")
      equal(sent[i].headers.c, "d")
    end
    check(guard)
  end)

  it("raises for what is no path and no option", function()
    local service, sent = spec.fake(spec.json "1")
    local a = service("/a")
    raises("bad argument #1 to 'download'", function() a:download() end)
    raises("bad argument #1 to 'download'", function() a:download {} end)
    raises("bad argument #1 to 'download' (the name of a file expected, got '')", function() a:download "" end)
    raises("the name of a file expected", function() a:download "a\0b" end)
    raises("bad argument #2 to 'download'", function() a:download("a", true) end)
    raises("unknown setting 'resum' (did you mean 'resume'?)", function() a:download("a", { resum = true }) end)
    raises("'resume' must be true or false, got 'yes'", function() a:download("a", { resume = "yes" }) end)
    raises("'timeout' must be a number", function() a:download("a", { timeout = "1s" }) end)
    raises("'mutate' must be a function", function() a:download("a", { mutate = 1 }) end)
    raises("header", function() a:download("a", { headers = { ["a b"] = "c" } }) end)
    equal(#sent, 0)
  end)
end)

describe("a download that resumes", function()
  it("DWN-04 DWN-06 goes on where a killed one was, with nginx", function()
    local folder, guard <close> = spec.temporary_folder()
    local url, server <close> = with_slow_file(folder)
    local script = folder .. "/get.lua"
    assert(lull.write_file(script, ([[
      local lull = require "lull"
      assert(lull.service(%q)("/slow"):download(%q, { resume = true }):await())
    ]]):format(url, folder .. "/out/large")))
    spec.shell(([[
      %s %s >/dev/null 2>&1 & child=$!
      i=0
      while [ $i -lt 400 ] && ! [ -s %s/out/large.part ]; do sleep 0.02; i=$((i + 1)); done
      kill -9 $child
    ]]):format(spec.interpreter(), script, folder))
    local had = tonumber(spec.shell("stat -c %s " .. folder .. "/out/large.part"))
    check(had > 0 and had < 3000000, had)
    equal(files(folder .. "/out"), "large.part large.part.lull ")
    local first
    local request = lull.service(url)("/slow"):download(folder .. "/out/large", { resume = true })
    request:on_progress(function(progress) first = first or progress end)
    local entity = assert(request:await())
    equal(entity.http_status, 206)
    equal(entity:header("content-range"), ("bytes %d-2999999/3000000"):format(had))
    equal(spec.shell(("cmp %s/www/large %s/out/large && echo same"):format(folder, folder)), "same")
    equal(files(folder .. "/out"), "large ")
    check(guard) check(server)
  end, { seconds = 30 })

  it("DWN-08 begins anew when nginx has another file by then", function()
    local folder, guard <close> = spec.temporary_folder()
    local url, server <close> = with_slow_file(folder)
    local service = lull.service(url)
    local request = service("/slow"):download(folder .. "/out/large", { resume = true })
    lull.wait_until(function() return request.progress > 0.5 end)
    request:cancel()
    equal(files(folder .. "/out"), "large.part large.part.lull ")
    spec.shell(("cd %s/www && head -c 100000 /dev/urandom > other && mv other large"):format(folder))
    local entity = assert(service("/slow"):download(folder .. "/out/large", { resume = true }):await())
    equal(entity.http_status, 200)
    equal(spec.shell(("cmp %s/www/large %s/out/large && echo same"):format(folder, folder)), "same")
    equal(files(folder .. "/out"), "large ")
    check(guard) check(server)
  end, { seconds = 30 })

  it("DWN-10 keeps others from its part, in one line", function()
    local folder, guard <close> = spec.temporary_folder()
    local url, server <close> = with_slow_file(folder)
    local path = folder .. "/out/large"
    local request = lull.service(url)("/slow"):download(path, { resume = true })
    lull.wait_until(function() return request.progress > 0.5 end)
    local other = spec.script(([[
      local lull = require "lull"
      local _, err = lull.service(%q)("/slow"):download(%q, { resume = true }):await()
      print(err.cause.kind, err.user_message)
    ]]):format(url, path))
    equal(other.out, "file_unavailable\tcannot write " .. path .. ": " .. path
      .. ".part is already being downloaded, by this process or another\n")
    request:cancel()
    check(guard) check(server)
  end, { seconds = 30 })

  it("DWN-11 DWN-12 is named by the server, without leaving its folder", function()
    local folder, guard <close> = spec.temporary_folder()
    local url, server <close> = with_nginx(folder, [[
      location = /up {
        alias FOLDER/www/small; add_header Content-Disposition 'attachment; filename="../up.txt"';
      }
      location = /hidden {
        alias FOLDER/www/small; add_header Content-Disposition 'attachment; filename=".profile"';
      }
      location = /euro {
        alias FOLDER/www/small;
        add_header Content-Disposition "attachment; filename=x; filename*=UTF-8''%e2%82%ac";
      }
    ]])
    spec.shell("mkdir " .. folder .. "/out; echo small > " .. folder .. "/www/small")
    local service = lull.service(url)
    for place, name in pairs { up = "up.txt", hidden = "hidden", euro = "€", small = "small" } do
      for _, resume in ipairs { true, false } do
        local entity = assert(service("/" .. place):download(folder .. "/out/", { resume = resume }):await())
        equal(entity.content, folder .. "/out/" .. name)
        equal(lull.read_file(entity.content), "small\n")
        local _, err = service("/" .. place):download(folder .. "/out", { resume = resume }):await()
        contains(err.user_message, "'" .. name .. "' already exists: to replace it, name it in the path")
        os.remove(entity.content)
      end
    end
    equal(files(folder .. "/out"), "")
    equal(spec.shell("ls " .. folder .. "/up.txt"):match("No such file") ~= nil, true)
    check(guard) check(server)
  end, { seconds = 20 })
end)

describe("the sandbox", function()
  it("DWN-16 has no downloads, and says so", function()
    if spec.is_stock then return end
    local folder, guard <close> = spec.temporary_folder()
    assert(lull.write_file(folder .. "/s.lua", ([[
      local lull = require "lull"
      print(select(2, pcall(function() lull.service(%q)("/users/7"):download("a") end)))
    ]]):format(lull.demo())))
    local said = spec.shell(("cd %s && %s --sandbox --allow-host '*' s.lua; ls"):format(folder, spec.interpreter()))
    contains(said, "download is not available in the sandbox")
    equal(files(folder), "s.lua ")
    check(guard)
  end)
end)
