-- lull.read_file, lull.write_file, lull.env: what scripts need of the system they run on.
local lull = require "lull"
local spec = ...
local describe, it, equal = spec.describe, spec.it, spec.equal
local contains, raises = spec.contains, spec.raises
local shell, folder = spec.shell, spec.temporary_folder

describe("lull.write_file and lull.read_file", function()
  it("write and read back any bytes", function()
    local dir, _ <close> = folder()
    for i, text in ipairs { "", "hello\n", "\0\255\r\n", ("x"):rep(300000), "ü" } do
      local path = dir .. "/f" .. i
      equal(lull.write_file(path, text), true)
      equal(lull.read_file(path), text)
    end
    equal(lull.write_file(dir .. "/n", 17), true)
    equal(lull.read_file(dir .. "/n"), "17")
  end)

  it("give nil and a message where the system refuses", function()
    local dir, _ <close> = folder()
    local text, err = lull.read_file(dir .. "/none")
    equal(text, nil)
    equal(err, dir .. "/none: No such file or directory")
    local done, problem = lull.write_file(dir .. "/none/x", "x")
    equal(done, nil)
    equal(problem, dir .. "/none/x: No such file or directory")
    equal(select(2, lull.read_file(dir)), dir .. ": is a directory")
    equal(select(2, lull.write_file(dir, "x")), dir .. ": is a directory")
    equal(select(2, lull.write_file(dir, "x", { append = true })), dir .. ": Is a directory")
  end)

  it("read what says that it is empty and is not", function()
    contains(assert(lull.read_file("/proc/self/status")), "Name:")
  end)

  it("touch neither pipes nor devices", function()
    local dir, _ <close> = folder()
    local pipe = dir .. "/pipe"
    shell("mkfifo " .. pipe)
    contains(select(2, lull.read_file(pipe)), "is a pipe: only regular files can be read and written, use io.open")
    contains(select(2, lull.write_file(pipe, "x")), "is a pipe")
    contains(select(2, lull.write_file(pipe, "x", { append = true })), "not a regular file")
    contains(select(2, lull.read_file("/dev/zero")), "is a device or socket")
    contains(select(2, lull.write_file("/dev/null", "x")), "is a device or socket")
    contains(select(2, lull.write_file("/dev/null", "x", { append = true })), "is a device or socket")
    equal(shell("test -p " .. pipe .. " && echo still"), "still")
  end)

  it("keep the mode of a file that is there, and leave nothing else behind", function()
    local dir, _ <close> = folder()
    local path = dir .. "/f"
    lull.write_file(path, "a")
    equal(shell("stat -c %a " .. path), shell("touch " .. dir .. "/g; stat -c %a " .. dir .. "/g"))
    shell("chmod 640 " .. path)
    lull.write_file(path, "b")
    equal(shell("stat -c %a " .. path), "640")
    lull.write_file(path, "c", { mode = "600" })
    equal(shell("stat -c %a " .. path), "600")
    lull.write_file(dir .. "/new", "", { mode = "700" })
    equal(shell("stat -c %a " .. dir .. "/new"), "700")
    equal(shell("ls -A " .. dir), "f\ng\nnew")
  end)

  it("carry no bits over that lend rights", function()
    local dir, _ <close> = folder()
    local path = dir .. "/f"
    lull.write_file(path, "a")
    shell("chmod 6755 " .. path)
    lull.write_file(path, "b")
    equal(shell("stat -c %a " .. path), "755")
  end)

  it("give a new file no more than the mask allows, and the mode that is asked for", function()
    local dir, _ <close> = folder()
    local result = spec.script(([[
      local lull = require "lull"
      lull.write_file("%s/usual", "x")
      lull.write_file("%s/asked", "x", { mode = "640" })
    ]]):format(dir, dir), { env = "sh -c 'umask 077; exec \"$@\"' sh" })
    equal(result.err, "")
    equal(shell(("stat -c %%a %s/usual %s/asked"):format(dir, dir)), "600\n640")
  end)

  it("put the whole text in the place of the old one", function()
    local dir, _ <close> = folder()
    local path = dir .. "/f"
    lull.write_file(path, "old")
    local reader = assert(io.open(path))
    lull.write_file(path, "new")
    equal(reader:read("a"), "old")
    reader:close()
    equal(lull.read_file(path), "new")
  end)

  it("follow links instead of replacing them", function()
    local dir, _ <close> = folder()
    lull.write_file(dir .. "/real", "a")
    shell(("ln -s real %s/link; ln -s nowhere %s/dangling"):format(dir, dir))
    equal(lull.read_file(dir .. "/link"), "a")
    equal(lull.write_file(dir .. "/link", "b"), true)
    equal(lull.read_file(dir .. "/real"), "b")
    equal(shell("readlink " .. dir .. "/link"), "real")
    contains(select(2, lull.write_file(dir .. "/dangling", "x")), "is a link to a file that does not exist")
    contains(
      select(2, lull.write_file(dir .. "/dangling", "x", { append = true })),
      "is a link to a file that does not exist")
    equal(lull.read_file(dir .. "/nowhere"), nil)
  end)

  it("leave the old text where the new one cannot be written", function()
    if shell("id -u") == "0" then
      contains(select(2, lull.write_file("/proc/version", "x")), "/proc/version: ")
      return
    end
    local dir, _ <close> = folder()
    lull.write_file(dir .. "/f", "old")
    shell("chmod 500 " .. dir)
    contains(select(2, lull.write_file(dir .. "/f", "new")), "Permission denied")
    equal(lull.read_file(dir .. "/f"), "old")
    shell("chmod 700 " .. dir)
  end)

  it("append", function()
    local dir, _ <close> = folder()
    local path = dir .. "/log"
    equal(lull.write_file(path, "a\n", { append = true }), true)
    equal(lull.write_file(path, "b\n", { append = true, mode = "600" }), true)
    equal(lull.read_file(path), "a\nb\n")
    equal(shell("stat -c %a " .. path), "600")
    shell(("chmod 644 %s"):format(path))
    equal(lull.write_file(path, "c\n", { append = true }), true)
    equal(shell("stat -c %a " .. path), "644")
  end)

  it("take names that are no text", function()
    local dir, _ <close> = folder()
    local path = dir .. "/\255\254"
    equal(lull.write_file(path, "x"), true)
    equal(lull.read_file(path), "x")
    equal(select(2, lull.read_file(path .. "z")), path .. "z: No such file or directory")
  end)

  it("refuse what makes no sense", function()
    raises("bad argument #1 to 'read_file' (string expected, got nil)", function() lull.read_file(nil) end)
    raises("bad argument #1 to 'read_file' (the name of a file expected, got '')", function() lull.read_file "" end)
    raises("bad argument #1 to 'write_file' (the name of a file expected", function() lull.write_file("a\0b", "") end)
    raises("bad argument #2 to 'write_file' (string expected, got table)", function() lull.write_file("x", {}) end)
    raises("'mode' must be a string of octal digits such as \"600\", got 600", function()
      lull.write_file("x", "", { mode = 600 })
    end)
    raises("'mode' must be", function() lull.write_file("x", "", { mode = "9" }) end)
    raises("'append' must be true or false, got 1", function() lull.write_file("x", "", { append = 1 }) end)
    raises("unknown setting 'apend' (did you mean 'append'?)", function()
      lull.write_file("x", "", { apend = true })
    end)
  end)
end)

describe("lull.env", function()
  it("gives a variable, else the default", function()
    equal(lull.env "HOME", os.getenv "HOME")
    equal(lull.env "LULL_NO_SUCH_VARIABLE", nil)
    equal(select("#", lull.env "LULL_NO_SUCH_VARIABLE"), 1)
    equal(lull.env("LULL_NO_SUCH_VARIABLE", "x"), "x")
    local default = {}
    equal(lull.env("LULL_NO_SUCH_VARIABLE", default), default)
    equal(lull.env("HOME", "x"), os.getenv "HOME")
  end)

  it("gives an empty one as it is", function()
    local result = spec.script("print('[' .. require 'lull'.env('X', 'default') .. ']')", { env = "X=" })
    equal(result.out, "[]\n")
  end)

  it("refuses what is no name", function()
    raises("the name of an environment variable expected, got ''", function() lull.env "" end)
    raises("the name of an environment variable expected, got 'A=B'", function() lull.env "A=B" end)
  end)
end)
