#!/usr/bin/env lull
-- A small tool: arguments, a table on the terminal, and a file. Try  lull Examples/report.lua --help
local lull = require "lull"

local args = lull.args{
  description = "Prints the users of an API, the most frequent visitors first.",
  { "output", required = false, help = "a file to write the report to, besides printing it" },
  { "--url U", default = lull.env("REPORT_URL"), help = "where the API is; the sample API if not given" },
  { "--limit N", "-n", type = "integer", default = 5, help = "how many rows at most" },
  { "--role R", "-r", choices = { "admin", "editor", "member" }, help = "only users of this role" },
  { "--format F", "-f", choices = { "table", "json" }, default = "table", help = "how to print them" },
}

local api = lull.service(args.url or lull.demo())

local users = {}
for page in api("/users"):pages() do
  for _, user in ipairs(page) do
    if not args.role or user.role == args.role then users[#users + 1] = user end
  end
end
table.sort(users, function(a, b)
  if a.visits ~= b.visits then return a.visits > b.visits end
  return a.id < b.id
end)
local found = #users
users = table.move(users, 1, math.min(args.limit, found), 1, {})

-- Columns as wide as what is in them; numbers to the right.
local function as_table(rows, columns)
  local widths = {}
  for i, column in ipairs(columns) do
    widths[i] = utf8.len(column)
    for _, row in ipairs(rows) do widths[i] = math.max(widths[i], utf8.len(tostring(row[column]))) end
  end
  local function line(cell)
    local cells = {}
    for i, column in ipairs(columns) do
      local value = cell(column)
      local text = tostring(value)
      local padding = (" "):rep(widths[i] - utf8.len(text))
      cells[i] = math.type(value) and padding .. text or text .. padding
    end
    return (table.concat(cells, "  "):gsub("%s+$", ""))
  end
  local lines = { line(function(column) return column end) }
  lines[2] = lines[1]:gsub("%S", "-")
  for _, row in ipairs(rows) do lines[#lines + 1] = line(function(column) return row[column] end) end
  lines[#lines + 1] = ("%d of %d"):format(#rows, found)
  return table.concat(lines, "\n") .. "\n"
end

local report
if args.format == "json" then
  report = lull.json.encode(lull.array(users), { pretty = true }) .. "\n"
else
  report = as_table(users, { "id", "name", "role", "visits" })
end
io.write(report)
if args.output then
  assert(lull.write_file(args.output, report))
  print("written to " .. args.output)
end
