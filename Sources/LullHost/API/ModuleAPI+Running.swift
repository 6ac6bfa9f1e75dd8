import CLullBridge
import LullCore

extension APIOwner {
  static let moduleConcurrency: [APIEntry] = [
    .function(
      "spawn", "(fn: fun(...): any, ...: any): Task",
      "Starts a function as a new task, with the arguments that follow.",
      """
      The task begins on the next turn, not inside this call, and keeps the script alive. An error \
      in the task is raised where the task is awaited. If the task is never awaited, the error is \
      reported.
      """,
      example: """
        local function name_of(path) return assert(api(path):load():await()).content.name end
        local task = lull.spawn(name_of, "/users/8")
        print(task:await())                        --> Ben
        """, swift: "Home.spawn(_:)"
    ) { call throws(Misuse) in try call.tasks.spawn(call) },
    .function(
      "sleep", "(seconds: number)",
      "Waits for a number of seconds without blocking anything else.",
      """
      Suspends the running Lull coroutine. In the main chunk of a stock interpreter, this call \
      runs the event loop meanwhile. Raises an error in functions that must return at once and \
      where Lua cannot yield (`table.sort`, `string.gsub`, finalisers).
      """,
      example: """
        local before = lull.now()
        lull.sleep(0.5)
        print(lull.now() - before >= 0.5)          --> true
        """
    ) { call throws(Misuse) in try sleep(call) },
    .function(
      "all", "(list: (Request|Task)[]): any[]?, RequestError?",
      """
      Waits for all requests and tasks of a list; returns a list of their results in the same \
      order, or nil and the error of the first failure.
      """,
      """
      The result of a request is its entity, and the result of a task is the first value that the \
      task returns. A task that returns nil and an error of any kind has failed too. After a \
      failure, the other requests and tasks are cancelled, except requests that something else \
      also waits for. An error raised inside a task is raised here. Raises an error where waiting \
      is not possible.
      """,
      example: """
        local both = assert(lull.all{ api("/users/7"):load(), api("/users/8"):load() })
        print(both[1].content.name, both[2].content.name)    --> Ann Ben
        """, swift: "Request.all(_:)"
    ) { call throws(Misuse) in try call.tasks.gather(call, .all) },
    .function(
      "any", "(list: (Request|Task)[]): any, RequestError?",
      """
      Waits for the first success of several requests and tasks, cancels the others, and returns \
      the result; returns nil and the first error if all fail.
      """,
      """
      A request that something else waits for is not cancelled. An error raised inside a task is \
      raised here if nothing succeeds; otherwise the error is reported, like an error in a task \
      that is never awaited. An empty list raises an error.
      """,
      example: """
        local first = assert(lull.any{ api("/users/9"):load(), api("/users/8"):load() })
        print(first.content.name)                  --> Ben
        """, swift: "Request.any(_:)"
    ) { call throws(Misuse) in try call.tasks.gather(call, .any) },
    .function(
      "map",
      "(list: any[], fn: fun(item: any): any, options?: MapOptions): any[]?, RequestError?",
      """
      Calls a function for each element of a list, several calls at a time, and returns the \
      results in the order of the list.
      """,
      """
      The function may wait; up to 8 calls run at the same time unless `concurrency` is set. The \
      first error that the function raises cancels the other calls and is raised here. If the \
      function returns nil and an error, as `await` does, the other calls are cancelled too, and \
      `lull.map` returns nil and that error. To continue after failures, let the function return \
      something else. Tasks that the function starts end with `lull.map`. Apart from the results, \
      only the running calls take memory, however long the list is.
      """,
      example: """
        local names = lull.map({ 7, 8 }, function(id)
          return assert(api("/users/" .. id):load():await()).content.name
        end, { concurrency = 2 })
        print(table.concat(names, " "))            --> Ann Ben
        """, swift: "Sequence.concurrentMap(limit:_:)"
    ) { call throws(Misuse) in try call.tasks.map(call) },
    .function(
      "progress", "(total?: number, label?: string): Progress",
      "Shows a progress bar on the terminal, until `finish` is called or the object is collected.",
      """
      The bar is drawn at the bottom of the terminal, on standard error; several bars are drawn \
      one below the other. Without a total, only a count is shown. Nothing is written if standard \
      error is not a terminal, or in a session. Printed text appears above the bar. The prompt of \
      `io.read` is overwritten when the bar is drawn again: finish the bar before you ask for \
      input.
      """,
      example: """
        local progress = lull.progress(3, "reading")
        for _ = 1, 3 do progress:advance() end
        progress:finish()
        print(progress.count, progress.total)      --> 3 3
        """
    ) { call throws(Misuse) in
      let total = call.raw(0).double
      guard total.map({ $0.isFinite && $0 >= 0 }) ?? true else {
        throw .argument(1, "a number from 0 up expected, got \(call.raw(0).described)")
      }
      let label = call.isNil(1) ? "" : try call.text(1, argument: 2)
      let progress = call.session.progress.begin(total: total, label: label)
      call.return(call.values.of(progress, .progress))
    },
    .function(
      "timeout", "(seconds: number, fn: fun(): any): any, RequestError?",
      """
      Calls a function and returns its results, or nil and an error of kind `timeout` if the \
      function takes too long.
      """,
      """
      After the timeout, everything that the function waits for is cancelled (a request only if \
      nothing else waits for that request). The function's coroutine is closed, so that no code \
      after its wait runs. Tasks that the function has started are cancelled too. An error of the \
      function is raised here. A function that never waits cannot be stopped.
      """,
      example: """
        local value, err = lull.timeout(0.1, function() lull.sleep(5) return "late" end)
        print(value, err.cause.kind)               --> nil timeout
        """
    ) { call throws(Misuse) in try call.tasks.timeout(call) },
    .function(
      "wait_until", "(fn: fun(): any, options?: WaitOptions): any, RequestError?",
      "Calls a function repeatedly until it returns a true value, and returns its results.",
      """
      The function is called at once, and again `every` seconds after each call has returned. The \
      function may wait. If `timeout` is set, everything that the function waits for is cancelled \
      after that many seconds, and `lull.wait_until` returns nil and an error of kind `timeout`. \
      An error of the function is raised here.
      """,
      example: """
        local calls = 0
        local state = lull.wait_until(function()
          calls = calls + 1
          return calls == 3 and "ready"
        end, { every = 0.01, timeout = 5 })
        print(state, calls)                        --> ready 3
        """
    ) { call throws(Misuse) in try call.tasks.waitUntil(call) },
  ]

  static let moduleRunning: [APIEntry] = [
    .function(
      "run", "(fn?: fun())",
      "Runs the event loop until no task, request in flight or sleep is left.",
      """
      Call this at the end of a script in a stock interpreter; the `lull` command runs the event \
      loop automatically. If a function is passed, it is first started as a task. In the main \
      chunk of a stock interpreter, an error of that task is raised here. Inside a task or \
      callback, this call waits for everything else to end, except for tasks that wait for the \
      calling task or callback.
      """,
      example: """
        user:load():on_success(function(entity) print(entity.content.name) end)   --> Ann
        lull.run()
        """
    ) { call throws(Misuse) in try run(call) },
    .function(
      "on_error",
      "(handler?: fun(err: any, traceback: string, where: string): boolean?)",
      "Sets the function that handles errors in callbacks and in tasks that are never awaited.",
      """
      The handler replaces the report on standard error; the exit code is still 1. If the handler \
      returns true, the error counts as handled and does not change the exit code. Passing nil \
      restores the default handler. The handler must return at once; errors in it are reported by \
      the default handler.
      """,
      example: """
        lull.on_error(function(err, traceback, where) print(err) return true end)
        user:observe(function() error("oops", 0) end)        --> oops
        lull.on_error(nil)
        """
    ) { call throws(Misuse) in
      let handler = call.isNil(0) ? nil : try call.stored.keep(call.state, call.index(0))
      try call.reporter.setHandler(handler)
    },
    .function(
      "repl", "()",
      "Opens a session at this point of a script: lines are read from standard input and run.",
      """
      The caller waits until the session is left with Ctrl-D, while everything else continues. The \
      session sees the script's globals. Only one session can be open at a time. Raises an error \
      where `lull.sleep` cannot wait either. To open a session in a stock interpreter, run `lua5.4 \
      -l lull -e 'lull.repl()'`.
      """,
      example: """
        if os.getenv("DEBUG") then lull.repl() end
        """
    ) { call throws(Misuse) in try openSession(call) },
    .function(
      "help", "(subject?: any)",
      """
      Prints a description of a function, object or name of Lull, with its signature and an \
      example.
      """,
      """
      In a session, this function can be called as `help`. Without an argument, it lists the \
      topics.
      """,
      example: """
        lull.help(lull.now)
        """
    ) { call throws(Misuse) in printHelp(call) },
    .function(
      "stats", "(): Stats",
      "Returns a new table with counts of objects in memory and work in progress.",
      """
      This call visits every resource of every service and changes nothing. Garbage counts until \
      it is collected. To count only objects that stay in memory, call `collectgarbage()` first, \
      and call it twice if finalisers hold objects. Does not wait.
      """,
      example: """
        local before = lull.stats()
        local watched <close> = user:observe(function() end)
        user:load()
        local now = lull.stats()
        print(now.observers - before.observers)    --> 1
        print(now.requests_in_flight)              --> 1
        """,
      swift: "ServiceHome.statistics"
    ) { call throws(Misuse) in
      call.return(.map(call.statistics.map { ($0.name, .int(Int64($0.count))) }))
    },
    .function(
      "now", "(): number", "The current time in seconds since 1970, like timestamps."
    ) { call throws(Misuse) in
      call.return(.number(call.pump.clock.now))
    },
    .function(
      "demo", "(): string",
      "Starts the sample API as a child process and returns its base URL.",
      """
      The process listens on the loopback address only and ends with its parent process. A second \
      call returns the same URL. Raises an error if the program `lull-mock`, which serves the \
      sample API, cannot be found or started.
      """,
      example: """
        local demo = lull.service(lull.demo())
        print(demo.base_url)
        """
    ) { call throws(Misuse) in
      do throws(TransportError) {
        // An inspection does not start the sample server.
        let url =
          call.permissions.isOnlyLooking ? "http://127.0.0.1" : try call.part(SampleAPI.self).url()
        call.return(.string(url))
      } catch {
        throw .message(error.message)
      }
    },
    .property(
      "unhandled", "string",
      """
      Whether failed requests that the script has not handled are reported: `"report"` (default) \
      or `"ignore"`.
      """,
      """
      With `"report"`, each such request is reported in one line on standard error at the end of \
      the script, and the exit code is 1. A request is handled if it was awaited, has an \
      `on_failure` or `on_completion` hook, or if its `response` was read. A load is also handled \
      if its resource is observed, its `latest_error` was read afterwards, or the failure of a \
      later load of the resource was handled. Cancelled requests do not count. Any other value \
      raises an error.
      """,
      example: """
        lull.unhandled = "ignore"
        """, rules: "UNH-01 UNH-02 UNH-05 UNH-10"),
    .property(
      "version", "string", "The version of Lull: `\"MAJOR.MINOR.PATCH\"`.", swift: "Lull.version"),
  ]

  static let moduleValues: [APIEntry] = [
    .property(
      "null", "any",
      "JSON's null inside content and bodies; compare with `==`.",
      "`lull.null` counts as true in conditions, like every Lua value except nil and false.",
      example: """
        local value = lull.json.decode('{"nickname": null}')
        print(value.nickname == lull.null)         --> true
        """, swift: "JSONValue.null", rules: "JSN-17"),
    .function(
      "array", "(t: table): table",
      """
      Marks a table as a JSON array and returns the table; an empty table is then encoded as `[]`.
      """,
      example: """
        print(lull.json.encode{ list = lull.array{} })       --> {"list":[]}
        """, rules: "REQ-12"),
    .function(
      "copy", "(value: any): any",
      "Returns a deep copy of a value; the copy can be changed even if the original is read-only.",
      """
      Tables are copied with their metatables and cycles. A document becomes tables that are \
      encoded in the server's order. The copy of an entity can be changed. Other values are \
      returned unchanged.
      """,
      example: """
        local content = lull.copy(assert(user:load():await()).content)
        content.name = "Annie"
        user:override_local_content(content)
        print(user.content.name)                   --> Annie
        """),
    .function(
      "inspect", "(value: any, options?: InspectOptions): string",
      """
      Returns a readable text for any value; nested tables are shown too, with their keys in \
      order.
      """,
      example: """
        print(lull.inspect{ 1, 2, name = "Ann" })  --> { 1, 2, name = "Ann" }
        """),
    .function(
      "table", "(rows: any, columns?: string[]): string",
      """
      Returns rows as text in columns, one line per row, as the option `-o table` of the command \
      writes them.
      """,
      """
      Rows are a list of records; a single record is shown as one row. Elements that are not \
      records go into a column `value`. Without `columns`, each field name is a column, in the \
      order of first appearance; names that first appear in a Lua table are sorted within that \
      table. The column `"owner.login"` is the field `login` of the field `owner`, and `"tags.1"` \
      is the first element of the field `tags`. A value without a JSON form raises an error.
      """,
      example: """
        local users = assert(api("/users"):load():await()).document
        for line in lull.table(users, { "name", "id" }):gmatch("[^\\n]+") do print(line) end
        --> name  id
        --> Ann   7
        --> Ben   8
        """, rules: "FLT-10"
    ) { call throws(Misuse) in
      let columns = call.isNil(1) ? [] : try fieldNames(call, 1)
      guard !call.isNil(0) else { throw .argument(1, "a list of rows expected, got nil") }
      var bytes: [UInt8]
      switch call.reading.json.text(of: call.state, call.index(0)) {
      case .success(let text): bytes = text
      case .failure(let problem): throw .message("cannot show as a table: \(problem.text)")
      }
      // An empty Lua table is encoded as `{}`, but here it counts as a list without rows.
      if call.raw(0).kind == Int32(LULL_TABLE), bytes == Array("{}".utf8) {
        bytes = Array("[]".utf8)
      }
      let json = JSONText(valid: bytes)
      guard json.kind == .array || json.kind == .object else {
        throw .argument(1, "a list of rows expected, got \(call.raw(0).typeName)")
      }
      let known = columns.isEmpty ? names(ofRows: json, call) : nil
      warn(ofColumns: columns, in: json.lines, call)
      let table = ContentTable(json, columns: columns, known: known)
      call.return(.string(table.text()))
    },
  ]

  /// The functions of Lua's own `os` library that the command replaces.
  static let os = APIOwner.module(
    "os", "The changes that the `lull` command makes to Lua's own library `os`.",
    entries: [
      .function(
        "exit", "(code?: integer|boolean, close?: boolean)",
        "Ends the script with an exit code, in the way that Ctrl-C ends a script.",
        """
        Only the `lull` command changes this function; a stock interpreter has Lua's own \
        `os.exit`. Requests in flight are cancelled and their hooks run; to-be-closed variables \
        are closed. No code after the call runs, and no `pcall` catches the exit.
        """,
        example: """
          if not user.is_up_to_date then os.exit(3) end
          """, arguments: "VV"
      ) { call throws(Misuse) in try exit(call) }
    ])
}

extension APIOwner {
  /// Implements the command's `os.exit`, which ends the script with an exit code, as Ctrl-C does.
  private static func exit(_ call: Call) throws(Misuse) {
    let value = call.raw(0)
    let code: Int32
    switch Int(value.kind) {
    case Int(LULL_NIL): code = 0
    case Int(LULL_BOOLEAN): code = value.integer != 0 ? 0 : 1
    default:
      guard let number = value.double, let whole = Int64(exactly: number) else {
        throw .argument(1, "an exit code expected, got \(value.typeName)")
      }
      code = Int32(truncatingIfNeeded: whole)
    }
    try end(call, code: code)
  }

  /// Ends the script with an exit code. If the interpreter does not belong to Lull, Lua's own
  /// `os.exit` is used.
  static func end(_ call: Call, code: Int32) throws(Misuse) {
    guard call.environment.ownsProcess else {
      call.return(.int(Int64(code)))
      call.frame.pointee.outcome = Int32(LULL_EXIT)
      return
    }
    // Unhandled failures are reported first, because no script code runs afterwards, not even the
    // script's error handler.
    if !call.loop.isInterrupted { call.reporter.unhandled.report(atEnd: true) }
    call.loop.exit(code)
    // The call is suspended forever, so that no code after it runs and no pcall catches an error.
    if Int(lull_wait_mode(call.bridge.pointer, call.state)) == Int(LULL_WAIT_YIELD) {
      try call.loop.wait(call, for: "the end") { _ in {} }
    } else {
      // If the call can't be suspended, an error unwinds the stack. Code that catches it is
      // interrupted again.
      lull_state_interrupt(call.state)
      throw .message("the script called os.exit")
    }
  }

  /// Implements `lull.repl()`. The call returns when the session that it opens has ended. Until
  /// then the session drives the event loop.
  static func openSession(_ call: Call) throws(Misuse) {
    try call.permissions.refuseInSandbox("lull.repl")
    lull_repl_link()
    let session = call.session
    guard SessionKeeper.opener != nil else { throw .message("this program has no REPL") }
    guard !session.isTaken else { throw .message("a REPL is open already") }
    try call.loop.wait(call, for: "the REPL") { done in
      session.setForeground { [unowned bridge = call.bridge, unowned loop = call.loop] in
        // If a line of the session called `os.exit`, the script does not continue.
        if !bridge.isClosed, loop.exitCode == nil { done([], false) }
      }
      return { [unowned session] in session.withdrawForeground() }
    }
  }

  /// Implements `lull.help([x])`.
  static func printHelp(_ call: Call) {
    let text =
      call.count == 0
      ? HelpText(call.bridge.library.description).overview
      : FunctionLookup(call.bridge).helpText(call)
    if call.session.pagesHelp {
      StandardOutput.page(text)
    } else {
      StandardOutput.write(text)
    }
  }

  /// Warns about each of the requested columns that no row has.
  private static func warn(ofColumns columns: [String], in rows: [JSONText], _ call: Call) {
    guard !columns.isEmpty, let place = call.place else { return }
    for column in columns {
      guard let part = JSONText.missingPart(of: column, in: rows),
        lull_is_omitted_name(call.state, part.name) == 0
      else { continue }
      call.reporter.warnings.warn(ofField: column, missing: part, by: "lull.table", at: place)
    }
  }

  /// Returns the column names of all rows that are objects, in order of appearance. Keys of a Lua
  /// table have no order, so they are sorted.
  private static func names(ofRows json: JSONText, _ call: Call) -> [String] {
    var place: UInt64 = 0
    let isDocument = lull_document_at(call.state, call.index(0), &place) != nil
    var names: [String] = []
    var seen: Set<String> = []
    for (position, row) in json.lines.enumerated() where row.kind == .object {
      let keys = row.members.map(\.key)
      let isOrdered =
        isDocument || json.kind == .array && isDocumentElement(position + 1, call)
      for key in isOrdered ? keys : keys.sorted() where seen.insert(key).inserted {
        names.append(key)
      }
    }
    return names
  }

  private static func isDocumentElement(_ position: Int, _ call: Call) -> Bool {
    var value = lull_value()
    lull_push_element(call.state, call.index(0), Int64(position), &value)
    defer { lull_pop(call.state, 1) }
    var place: UInt64 = 0
    return lull_document_at(call.state, lull_stack_top(call.state), &place) != nil
  }

  private static func fieldNames(_ call: Call, _ position: Int) throws(Misuse) -> [String] {
    var names: [String] = []
    let count = Int(lull_table_length(call.state, call.index(position)))
    for element in 0..<count {
      var value = lull_value()
      lull_push_element(call.state, call.index(position), Int64(element + 1), &value)
      defer { lull_pop(call.state, 1) }
      guard value.kind == Int32(LULL_STRING), let name = value.string, value.isValidUTF8 else {
        throw .argument(position + 1, "a list of names expected, got \(value.described) in it")
      }
      names.append(name)
    }
    guard !names.isEmpty else {
      throw .argument(position + 1, "a list of names expected, got an empty table")
    }
    return names
  }
}
