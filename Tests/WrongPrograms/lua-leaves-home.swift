// A runtime, a function and a table of Lua's are used by tasks that run anywhere.
import LullCore
import LullHost
import LullTransport

func run() throws {
  try Lull.run { home in
    let lua = try Lua(home)
    let function: Lua.Function = try await lua.run("return print")
    let table: Lua.Table = try await lua.run("return {}")
    let first = Task.detached {  // error: risks causing data races
      try await lua.run("return 1") as Int
    }
    let second = Task.detached {  // error: risks causing data races
      try await function() as Int
    }
    let third = Task.detached {  // error: risks causing data races
      try table.count()
    }
    print(try await first.value, try await second.value, try await third.value)
  }
}
