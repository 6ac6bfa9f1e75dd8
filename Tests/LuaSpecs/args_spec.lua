-- lull.args: the command line of a script.
local lull = require "lull"
local spec = ...
local describe, it, equal, same = spec.describe, spec.it, spec.equal, spec.same
local contains, raises = spec.contains, spec.raises

local everything = {
  description = "Does what it is told.",
  { "source", help = "where from" },
  { "--limit N", "-n", type = "integer", default = 20, help = "at most so many" },
  { "--ratio", type = "number" },
  { "--format", "-f", choices = { "table", "json", "csv" }, default = "table" },
  { "--verbose", "-v", type = "count", help = "say more" },
  { "--color", default = true },
  { "--dry-run", "-d" },
  { "--tag T", repeated = true },
  { "files...", required = false },
}

local function read(...) return lull.args(everything, { ... }) end

-- The same in a process of its own: what it prints and how it ends.
local function run(words, source)
  local text = source or [[
    local lull = require "lull"
    local args = lull.args{
      name = "tool", description = "Does what it is told.", version = "tool 1.2", notes = "That is all.",
      { "source", help = "where from" },
      { "--limit N", "-n", type = "integer", default = 20, help = "at most so many" },
      { "--format", choices = { "table", "json" }, default = "table", help = "how to print it" },
      { "--color", default = true, help = "use colours" },
      { "--verbose", "-v", type = "count" },
      { "--token T", required = true, help = "who you are" },
      { "--quite-a-long-name-for-an-option X", help = "on a line of its own" },
      { "--tag", repeated = true },
      { "files...", required = false, help = "what else" },
    }
    print(args.source)
  ]]
  local list = {}
  for i, word in ipairs(words) do list[i] = ("%q"):format(word) end
  return spec.script(
    "arg = { [0] = 'some/where/tool.lua', " .. table.concat(list, ", ") .. " }\n" .. text)
end

describe("lull.args", function()
  it("JSN-111 keeps the digits of integers beyond 64 bits", function()
    local large = "12345678901234567890"
    local args = read("a", "--limit", large, "--ratio=-" .. large)
    equal(tostring(args.limit), large)
    equal(tostring(args.ratio), "-" .. large)
    equal(lull.json.encode { args.limit }, "[" .. large .. "]")
    equal(math.type(read("a", "--ratio", "1e19").ratio), "float")
  end)

  it("gives defaults", function()
    same(read("a"), {
      source = "a", limit = 20, format = "table", verbose = 0, color = true, dry_run = false,
      tag = {}, files = {},
    })
  end)

  it("reads options in every form, anywhere", function()
    same(read("--limit", "5", "a", "--ratio=0.5", "-vdv", "--format=json", "--no-color", "--tag", "x", "b",
      "--tag=y=z", "c"), {
      source = "a", limit = 5, ratio = 0.5, format = "json", verbose = 2, color = false, dry_run = true,
      tag = { "x", "y=z" }, files = { "b", "c" },
    })
    equal(read("a", "-n7").limit, 7)
    equal(read("a", "-n=7").limit, 7)
    equal(read("a", "-n", "7").limit, 7)
    equal(read("a", "-dvn7").limit, 7)
    equal(read("a", "-fcsv").format, "csv")
    equal(read("a", "--no-color", "--color").color, true)
    equal(read("a", "--no-dry-run").dry_run, false)
  end)

  it("tells integers from numbers", function()
    equal(math.type(read("a", "--limit=7").limit), "integer")
    equal(math.type(read("a", "--ratio=7").ratio), "integer")
    equal(read("a", "--ratio", "1e3").ratio, 1000.0)
    equal(read("a", "--limit", "-7").limit, -7)
    equal(read("a", "--ratio=-.5").ratio, -0.5)
  end)

  it("takes what follows -- as it is, a single dash, and negative numbers", function()
    same(read("--", "--limit", "-n", "--").files, { "-n", "--" })
    equal(read("-").source, "-")
    equal(read("-5").source, "-5")
    equal(read("a", "--tag", "-").tag[1], "-")
    equal(read("a", "--tag=").tag[1], "")
    equal(read("a", "").files[1], "")
  end)

  it("deals positional arguments out to those that need one first", function()
    local copy = { "from...", { "to" } }
    same(lull.args(copy, { "a", "b", "c" }), { from = { "a", "b" }, to = "c" })
    same(lull.args(copy, { "a", "b" }), { from = { "a" }, to = "b" })
    local optional = { { "a", required = false }, "b", { "c", default = "C" } }
    same(lull.args(optional, { "1" }), { b = "1", c = "C" })
    same(lull.args(optional, { "1", "2" }), { a = "1", b = "2", c = "C" })
    same(lull.args(optional, { "1", "2", "3" }), { a = "1", b = "2", c = "3" })
    same(lull.args({ { "all...", required = false }, { "last", required = false } }, { "1" }), { all = {}, last = "1" })
  end)

  it("calls functions as types", function()
    local function date(text)
      local y, m, d = text:match("^(%d+)-(%d+)-(%d+)$")
      if not y then return nil, "a date such as 2026-01-31 is wanted" end
      return { year = tonumber(y), month = tonumber(m), day = tonumber(d) }
    end
    local args = lull.args({ { "--since", type = date }, { "--at", type = date, repeated = true } },
      { "--since=2026-02-03", "--at", "2026-1-1", "--at=2027-1-1" })
    same(args.since, { year = 2026, month = 2, day = 3 })
    equal(args.at[2].year, 2027)
    equal(lull.args({ { "n", type = tonumber } }, { "0x10" }).n, 16)
    local marker = {}
    local ok, err = pcall(lull.args, { { "n", type = function() error(marker) end } }, { "x" })
    equal(ok, false)
    equal(err, marker)
    ok, err = pcall(lull.args, { { "n", type = function() lull.sleep(0) end } }, { "x" })
    equal(ok, false)
    contains(err, "cannot wait inside a type function of lull.args")
  end)

  it("keeps words byte by byte", function()
    local args = lull.args({ "a", { "--b", type = "string" } }, { "\255x", "--b=\254\0ü" })
    equal(args.a, "\255x")
    equal(args.b, "\254\0ü")
  end)

  it("hands default lists over as they are", function()
    local default = { "x" }
    equal(lull.args({ { "--t", repeated = true, default = default } }, {}).t, default)
    same(lull.args({ { "--t", repeated = true, default = default } }, { "--t=y" }).t, { "y" })
  end)

  it("reads the script's own words, without a table of others", function()
    local result = run { "here", "--token=t" }
    equal(result.err, "")
    equal(result.out, "here\n")
    equal(result.code, 0)
    result = spec.script [[
      arg = nil
      print(next(require "lull".args{}))
    ]]
    equal(result.out, "nil\n")
  end)
end)

describe("lull.args ends the script", function()
  local function refuses(words, message)
    local result = run(words)
    equal(result.out, "")
    equal(result.err, "tool: " .. message .. "\nTry 'tool --help'.\n")
    equal(result.code, 2)
  end

  it("with 2 where an option is unknown", function()
    refuses({ "a", "--limt=7" }, "unknown option '--limt' (did you mean '--limit'?)")
    refuses({ "a", "--zzzzzz" }, "unknown option '--zzzzzz'")
    refuses({ "a", "-x" }, "unknown option '-x'")
    refuses({ "a", "-vx" }, "unknown option '-x' in '-vx'")
    refuses({ "a", "--no-limit" }, "unknown option '--no-limit' (did you mean '--limit'?)")
    refuses({ "a", "--hepl" }, "unknown option '--hepl' (did you mean '--help'?)")
  end)

  it("with 2 where a value is wrong, missing or too much", function()
    refuses({ "a", "--limit", "ten" }, "'--limit' must be a whole number, got 'ten'")
    refuses({ "a", "--limit=1.5" }, "'--limit' must be a whole number, got '1.5'")
    refuses({ "a", "-n" }, "'-n' needs a value")
    refuses({ "a", "--limit", "--verbose" }, "'--limit' needs a value")
    refuses({ "a", "--color=no" }, "'--color' takes no value")
    refuses({ "a", "--no-color=1" }, "'--no-color' takes no value")
    refuses({ "a", "-v=1" }, "'-v' takes no value")
    refuses({ "a", "-n1", "-n2" }, "'--limit' is given twice")
    refuses({ "a", "--token=t", "--format=jsn" },
      "'--format' must be table or json, got 'jsn' (did you mean 'json'?)")
  end)

  it("with 2 where something is missing or too much", function()
    refuses({ "--token=t" }, "the argument 'source' is missing")
    refuses({ "a" }, "the option '--token' must be given")
    local result = spec.script [[
      require "lull".args({ name = "tool", "a" }, { "1", "2" })
    ]]
    equal(result.err, "tool: unexpected argument '2'\nTry 'tool --help'.\n")
    equal(result.code, 2)
  end)

  it("with 2 where a function says what is wrong", function()
    local result = spec.script [[
      local function date() return nil, "no date" end
      require "lull".args({ name = "tool", { "--n", type = tonumber }, { "--d", type = date } }, { "--d=x" })
    ]]
    equal(result.err, "tool: '--d': no date, got 'x'\nTry 'tool --help'.\n")
    result = spec.script [[require "lull".args({ name = "tool", { "--n", type = tonumber } }, { "--n=x" })]]
    equal(result.err, "tool: '--n': not valid, got 'x'\nTry 'tool --help'.\n")
    equal(result.code, 2)
  end)

  it("with 0 for --help, printed from the specification", function()
    for _, word in ipairs { "--help", "-h", "-vh" } do
      local result = run { word }
      equal(result.err, "")
      equal(result.code, 0)
      equal(result.out, [[
Usage: tool --token T [OPTIONS] source [files...]

Does what it is told.

Arguments:
  source                        where from
  files                         what else

Options:
  -n, --limit N                 at most so many (default 20)
      --format FORMAT           how to print it (table or json; default table)
      --[no-]color              use colours (default on)
  -v, --verbose
      --token T                 who you are (required)
      --quite-a-long-name-for-an-option X
                                on a line of its own
      --tag TAG                 (may be repeated)
  -h, --help                    Show this help.
      --version                 Show the version.

That is all.
]])
    end
  end)

  it("with 0 for --version, if there is one", function()
    local result = run { "--version" }
    equal(result.out, "tool 1.2\n")
    equal(result.code, 0)
    result = spec.script [[require "lull".args({ name = "tool" }, { "--version" })]]
    equal(result.err, "tool: unknown option '--version'\nTry 'tool --help'.\n")
  end)

  it("named by the file it is in, after what it has printed", function()
    local result = spec.script [[
      io.write "before "
      pcall(require "lull".args, {}, nil)
      require "lull".args({ "a" }, { "--help" })
      print "not reached"
    ]]
    contains(result.out, "before Usage: " .. result.path:match("[^/]+$") .. " [OPTIONS] a")
    equal(result.code, 0)
  end)

  it("and lets no pcall see it, also in a task", function()
    local result = spec.script [[
      local lull = require "lull"
      local task = lull.spawn(function()
        print(pcall(lull.args, { name = "tool" }, { "x" }))
        print "not reached"
      end)
      task:await()
      print "not reached"
    ]]
    equal(result.out, "")
    equal(result.err, "tool: unexpected argument 'x'\nTry 'tool --help'.\n")
    equal(result.code, 2)
  end)

  it("unless its own --help and -h stand for something else", function()
    local args = lull.args({ { "--host H", "-h" }, { "--help" } }, { "-h", "x", "--help" })
    same(args, { host = "x", help = true })
  end)
end)

describe("lull.args refuses", function()
  local function refuses(message, ...)
    local table_given = { ... }
    raises(message, function() lull.args(table_given, {}) end)
  end

  it("unknown settings", function()
    raises("unknown setting 'descripton' (did you mean 'description'?)", function()
      lull.args({ descripton = "" }, {})
    end)
    refuses("argument #1 of the specification: unknown setting 'tpye' (did you mean 'type'?)", { "--a", tpye = "flag" })
    refuses("argument #2 of the specification: 'type' must be flag, count, string, number or integer, or a "
      .. "function, got 'intger' (did you mean 'integer'?)",
      "x", { "--a", type = "intger" })
    raises("'version' must be a string, got number", function() lull.args({ version = 1 }, {}) end)
    raises("bad argument #1 to 'args' (table expected, got nil)", function() lull.args(nil) end)
    raises("words must be strings, got table", function() lull.args({}, { {} }) end)
  end)

  it("names that are none, or twice", function()
    refuses("an argument needs a name", {})
    refuses("'-long' is not a name", { "-long" })
    refuses("'---x' is not a name", { "---x" })
    refuses("'a b' is not a name", { "a b" })
    refuses("'--' is not a name", { "--" })
    refuses("a name must not be empty", { "" })
    refuses("a positional argument has only one name", { "a", "b" })
    refuses("a positional argument has only one name", { "--a", "b" })
    refuses("'-n' is in the specification twice", { "--a", "-n" }, { "--b", "-n" })
    refuses("two arguments of the specification would both have the key 'a_b'", { "--a-b" }, { "--a_b" })
    refuses("only one positional argument can be repeated", "a...", "b...")
    refuses("a table or a name expected, got 7", 7)
    refuses("names must be strings, got 7", { 7 })
  end)

  it("what contradicts itself", function()
    refuses("'--a' cannot be required and have a default", { "--a", default = "x", required = true })
    refuses("the default of '--a' must be a whole number", { "--a", type = "integer", default = 1.5 })
    refuses("the default of '--a' must be a flag", { "--a", type = "flag", default = "x" })
    refuses("the default of '--a' must be a list", { "--a", repeated = true, default = "x" })
    refuses("the default of '--a' is not one of its choices", { "--a", choices = { "x" }, default = "y" })
    refuses("'--a' is a flag and takes no value", { "--a X", type = "flag" })
    refuses("'--a' is a count and takes no value", { "--a", type = "count", repeated = true })
    refuses("'a' is a positional argument and cannot be a flag", { "a", type = "flag" })
    refuses("'choices' must not be empty", { "--a", choices = {} })
    refuses("'choices' must be a list of strings, got 'x'", { "--a", choices = "x" })
    refuses("'required' must be true or false, got 1", { "--a", required = 1 })
    refuses("'default' must be a string, a number, a boolean or a list, got function", { "--a", default = print })
  end)
end)
