import CLullBridge
import LullArguments
import LullCore
import LullLibC
import LullSystem

extension APIOwner {
  static let moduleScripting: [APIEntry] = [
    .function(
      "args", "(spec: ArgumentsSpec, words?: string[]): table<string, any>",
      "Reads the script's command line and returns a table with the value of each argument.",
      """
      The words come from the global `arg` unless `words` is passed. In the returned table, the \
      key of each value is the argument's first long name, with `_` in place of `-`. Accepts \
      `--option value`, `--option=value`, `-o value`, `-ovalue`, flags together (`-abc`), \
      `--no-flag`, and `--`, after which all words are positional. Options may come before, \
      between and after positional arguments.

      `--help` (and `-h`) prints a help text made from the specification and ends the script with \
      exit code 0. Wrong usage ends the script with exit code 2 and a message on standard error \
      that names the argument and the allowed values. No `pcall` catches these exits. In the \
      `lull` command, the script ends as with Ctrl-C; in a stock interpreter, `os.exit` is called. \
      An error in the specification is raised.
      """,
      example: """
        local args = lull.args({
          description = "Prints users.",
          { "names...", help = "the users to print" },
          { "--limit N", "-n", type = "integer", default = 20, help = "the maximum number of users" },
          { "--verbose", "-v", help = "print each request" },
        }, { "ann", "ben", "-n5", "--verbose" })
        print(args.names[2], args.limit, args.verbose)       --> ben 5 true
        """
    ) { call throws(Misuse) in try ArgumentsCall(call).answer() },
    .function(
      "env", "(name: string, default?: any): any",
      """
      Returns the value of an environment variable; if the variable is not set, returns the \
      default, or nil.
      """,
      "Not available in the sandbox.",
      example: """
        print(lull.env("API_TOKEN_THAT_IS_NOT_SET", "none"))     --> none
        """
    ) { call throws(Misuse) in try call.returnVariable(0) },
    .function(
      "read_file", "(path: string): string?, string?",
      "Returns the whole text of a regular file, or nil and the system's error message.",
      """
      Pipes, terminals and devices, which could block everything else, are refused, as are files \
      over 1 GB. The file is read inside this call: nothing else runs meanwhile. Not available in \
      the sandbox.
      """,
      example: """
        local text, problem = lull.read_file("no/such/file")
        print(text, problem)                       --> nil no/such/file: No such file or directory
        """
    ) { call throws(Misuse) in
      try call.permissions.refuseInSandbox("lull.read_file")
      let path = try call.path(0)
      switch TextFile.read(path) {
      case .success(let bytes): call.return(.bytes(bytes))
      case .failure(let problem):
        call.return(.nil)
        call.return(.bytes(problem.advisedMessage))
      }
    },
    .function(
      "write_file", "(path: string, text: string, options?: WriteOptions): boolean?, string?",
      "Writes a whole file in one step; returns true, or nil and the system's error message.",
      """
      The text is written to a new file in the same folder, which then replaces the old file, so \
      that other processes never read an incomplete file, and users without permission never read \
      any part of the text. The new file gets the mode of the old file (except for setuid, setgid \
      and sticky bits), and the owner and group of the old file as far as possible. A symbolic \
      link stays a link; a link without a target is an error. The call does not wait until the \
      text is on the disk. Only regular files can be written. Not available in the sandbox.
      """,
      example: """
        local path = os.tmpname()
        assert(lull.write_file(path, "one\\n"))
        assert(lull.write_file(path, "two\\n", { append = true }))
        print(#lull.read_file(path))               --> 8
        os.remove(path)
        """
    ) { call throws(Misuse) in try writeFile(call) },
  ]

  static let writeOptions = APIOwner.table(
    "WriteOptions", "Options of `lull.write_file`.",
    entries: [
      .field(
        "append", "boolean?",
        """
        Whether to add the text to the end of the existing file instead of replacing the file; \
        default false.
        """),
      .field(
        "mode", "string?",
        """
        The file's mode in octal digits, such as `"600"`; default the mode of the replaced file, \
        or the usual mode for a new file.
        """
      ),
    ])

  static let argumentsSpec = APIOwner.table(
    "ArgumentsSpec",
    "The specification of `lull.args`: a list of arguments, and the named fields below.",
    entries: [
      .field(
        "[integer]", "ArgumentSpec|string",
        """
        The arguments, in the order in which the help lists them; a string is an argument that has \
        only a name.
        """),
      .field(
        "name", "string?",
        "The name of the script in messages; default the name of its file."),
      .field("description", "string?", "A description for the help."),
      .field("notes", "string?", "The text at the end of the help."),
      .field(
        "version", "string?",
        "The text that `--version` prints; without it there is no `--version`."),
    ])

  static let argumentSpec = APIOwner.table(
    "ArgumentSpec", "One argument of `lull.args`.",
    entries: [
      .field(
        "[integer]", "string",
        """
        The names of the argument. An option has names such as `"--long"` and `"-s"`, followed by \
        a placeholder if the option takes a value (`"--limit N"`). A positional argument has a \
        name such as `"file"`, or `"files..."` if it takes all remaining words.
        """),
      .field(
        "type", "ArgumentType|(fun(text: string): any, string?)|nil",
        """
        The type of the argument's value. Default: the type of the field `default`, else \
        `"string"` if the argument takes a value, else `"flag"`. A function gets the text and \
        returns the value, or nil and an error message; the function must return at once.
        """),
      .field(
        "default", "string|number|boolean|table|nil",
        """
        The value if the argument is missing. For a repeated argument, this value is a list, which \
        is empty by default.
        """),
      .field("choices", "(string|number)[]?", "The allowed values, as strings."),
      .field("help", "string?", "A description for the help."),
      .field("value", "string?", "The placeholder for the argument's value in the help."),
      .field(
        "required", "boolean?",
        """
        Whether the argument is required; by default, positional arguments without a default value \
        are required.
        """),
      .field(
        "repeated", "boolean?",
        "Whether an option may be given several times; its value is then a list. Default false."),
    ])

  static let argumentTypes = APIOwner.words(
    "ArgumentType", "The type of an argument's value.",
    entries: [
      .word(
        "flag",
        "A boolean: true if the option is given; false if it is missing or negated with `--no-`."),
      .word("count", "The number of times that the option is given."),
      .word("string", "The text."),
      .word("number", "An integer or a float."),
      .word("integer", "A whole number. A number beyond 64 bits keeps its digits."),
    ])
}

extension APIOwner {
  static let writeKeys = ["append", "mode"]

  /// Implements `lull.write_file(path, text[, { append =, mode = }])`.
  private static func writeFile(_ call: Call) throws(Misuse) {
    try call.permissions.refuseInSandbox("lull.write_file")
    let path = try call.path(0)
    var appends = false
    var mode: UInt32?
    if !call.isNil(2) {
      try call.reading.options.forEach(of: call.index(2), in: call.state, known: writeKeys) {
        name, value throws(Misuse) in
        if name == "append" {
          guard let flag = value.bool else {
            throw .message("'append' must be true or false, got \(value.described)")
          }
          appends = flag
        } else {
          guard let text = value.string, let bits = UInt32(text, radix: 8), bits <= 0o777
          else {
            throw .message(
              "'mode' must be a string of octal digits such as \"600\", got "
                + value.described)
          }
          mode = bits
        }
      }
    }
    let bytes = call.raw(1).bytes ?? []
    let outcome =
      appends
      ? TextFile.append(bytes, to: path, mode: mode) : TextFile.write(bytes, to: path, mode: mode)
    switch outcome {
    case .success: call.return(.bool(true))
    case .failure(let problem):
      call.return(.nil)
      call.return(.bytes(problem.advisedMessage))
    }
  }
}

/// One call of `lull.args(spec[, words])`.
private struct ArgumentsCall {
  private let call: Call

  init(_ call: Call) { self.call = call }

  func answer() throws(Misuse) {
    var arguments = try ScriptArgumentReader(call.stored, call.state).arguments(call.index(0))
    let (script, own) = try commandLine(isWanted: call.isNil(1))
    let words = call.isNil(1) ? own : try self.words(call.index(1))
    if arguments.spec.name.isEmpty { arguments.spec.name = script.isEmpty ? "script" : script }
    switch try values(words, arguments) {
    case .success(let fields): call.return(.map(fields))
    case .failure(let end): try leave(arguments.spec, end)
    }
  }

  /// Prints help, the version or an error, and ends the script.
  private func leave(_ spec: ArgumentSpec, _ end: ArgumentParser.End) throws(Misuse) {
    let code: Int32
    switch end {
    case .help:
      write(ArgumentHelp.text(of: spec))
      code = 0
    case .version:
      write((spec.version ?? "") + "\n")
      code = 0
    case .problem(let text):
      StandardError.write(
        ArgumentText.encode("\(spec.name): \(text)\nTry '\(spec.name) --help'.\n"))
      code = 2
    }
    try APIOwner.end(call, code: code)
  }

  /// Writes to standard output, as `print` does.
  private func write(_ text: String) {
    StandardOutput.write(ArgumentText.encode(text))
  }

  /// Returns the script's name and, if requested, the command-line words after it. Both are read
  /// from the global `arg`.
  private func commandLine(isWanted: Bool) throws(Misuse) -> (
    script: String, words: [String]
  ) {
    let state = call.state
    let index = lull_push_global(state, "arg")
    guard index != 0 else { throw .message("not enough memory") }
    defer { lull_pop_from(state, index) }
    var value = lull_value()
    lull_read(state, index, &value)
    guard value.kind == Int32(LULL_TABLE) else { return ("", []) }
    var script = ""
    try LuaTable(index, in: state).forEachField { key, field throws(Misuse) in
      if key.kind == Int32(LULL_INTEGER), key.integer == 0, let bytes = field.bytes {
        let path = ArgumentText.decode(bytes)
        script = path.split(separator: "/").last.map(String.init) ?? path
      }
    }
    return (script, isWanted ? try words(index) : [])
  }

  /// Returns the strings in the list at the stack index `table`.
  private func words(_ table: Int32) throws(Misuse) -> [String] {
    var words: [(position: Int64, text: String)] = []
    try LuaTable(table, in: call.state).forEachField { key, field throws(Misuse) in
      guard key.kind == Int32(LULL_INTEGER), key.integer > 0 else { return }
      if let bytes = field.bytes {
        words.append((key.integer, ArgumentText.decode(bytes)))
      } else if let text = field.text {
        words.append((key.integer, text))
      } else {
        throw .message("words must be strings, got \(field.described)")
      }
    }
    return words.sorted { $0.position < $1.position }.map(\.text)
  }

  // MARK: Values

  /// Returns the values of all arguments, keyed by argument name, or the reason why the script
  /// ends. If a type function of the script raises an error, this function throws that error.
  private func values(_ words: [String], _ arguments: ScriptArguments) throws(Misuse) -> Result<
    [(String, LuaValue)], ArgumentParser.End
  > {
    let result: ParsedArguments
    do throws(ArgumentParser.End) {
      result = try ArgumentParser.parse(words, by: arguments.spec)
    } catch {
      return .failure(error)
    }
    var fields: [(String, LuaValue)] = []
    for (index, argument) in arguments.spec.arguments.enumerated() {
      let meaning = arguments.meanings[index]
      var value = meaning.standard
      switch argument.kind {
      case .flag: value = result.counts[index].map { .bool($0 > 0) } ?? value ?? .bool(false)
      case .count: value = result.counts[index].map { .int(Int64($0)) } ?? value ?? .int(0)
      default:
        if let texts = result.texts[index] {
          var values: [LuaValue] = []
          for text in texts {
            switch try self.value(text, argument, meaning) {
            case .success(let value): values.append(value)
            case .failure(let end): return .failure(end)
            }
          }
          value = argument.isRepeated ? .list(values) : values.last
        } else if argument.isRepeated {
          value = value ?? .list([])
        }
      }
      if let value { fields.append((argument.key, value)) }
    }
    return .success(fields)
  }

  /// Returns the integer of any size that a text contains, or nil if the text is not an integer.
  /// (JSN-111)
  private static func whole(_ text: String) -> LuaValue? {
    if let whole = ArgumentText.integer(text) { return .int(whole) }
    return ArgumentText.largeInteger(text).map { .digits($0) }
  }

  private func value(_ text: String, _ argument: Argument, _ meaning: ScriptArguments.Meaning)
    throws(Misuse) -> Result<LuaValue, ArgumentParser.End>
  {
    if let function = meaning.function { return try converted(text, function, argument) }
    switch argument.kind {
    case .integer: return .success(ArgumentsCall.whole(text) ?? .nil)
    case .number:
      return .success(
        ArgumentsCall.whole(text)
          ?? ArgumentText.number(text).map { .number($0) } ?? .nil)
    default: return .success(.bytes(ArgumentText.encode(text)))
    }
  }

  /// Returns the result of calling the script's type function with a text. If the function returns
  /// nil and a message, the result is a usage error.
  private func converted(_ text: String, _ id: Int64, _ argument: Argument)
    throws(Misuse) -> Result<LuaValue, ArgumentParser.End>
  {
    let answer = call.coroutines.ask(
      Callable(id: id), [.bytes(ArgumentText.encode(text))], kind: "type function of lull.args"
    ) { results -> Result<LuaValue, ArgumentParser.End> in
      guard results[0].kind != Int32(LULL_NIL) else {
        let problem = results[1].text ?? "not valid"
        return .failure(.problem("'\(argument.shown)': \(problem), got '\(text)'"))
      }
      let id = call.stored.makeID()
      guard lull_value_keep(call.bridge.pointer, results.state, results.index(0), id) == 0 else {
        return .failure(.problem("not enough memory"))
      }
      call.stored.holdForNow([id])
      return .success(.ref(id))
    }
    switch answer {
    case .success(let value): return value
    case .failure(.failed(let failure)): throw .value(call.values.raised(failure))
    case .failure(.gone): return .success(.nil)
    }
  }
}

extension Call {
  /// Returns the value of an environment variable to the script. The argument at `position` is the
  /// name of the variable. If the variable is not set, the script gets the next argument as the
  /// default.
  func returnVariable(_ position: Int) throws(Misuse) {
    if !permissions.isInspecting { try permissions.refuseInSandbox("lull.env") }
    var name = raw(position).bytes ?? []
    guard !name.isEmpty, !name.contains(UInt8(ascii: "=")), !name.contains(0) else {
      throw .argument(
        1, "the name of an environment variable expected, got '\(string(position))'")
    }
    let standard = count > position + 1 ? LuaValue.stack(index(position + 1)) : .nil
    if let inspection = permissions.inspection {
      let isSet = inspection.sets(String(decoding: name, as: UTF8.self))
      return `return`(isSet ? .string("1") : standard)
    }
    name.append(0)
    if let value = getenv(name.map(CChar.init(bitPattern:))) {
      // The value is copied immediately, because the memory belongs to the environment.
      `return`(.bytes(Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))))
    } else {
      `return`(standard)
    }
  }

  /// Returns the file name in the argument at a position, as bytes, because a file name need not be
  /// valid UTF-8.
  ///
  /// - Parameter number: the number of the argument in error messages. It must be given if the call
  ///   has a self, because positions count self as 0.
  func path(_ position: Int, argument number: Int? = nil) throws(Misuse) -> [UInt8] {
    let path = raw(position).bytes ?? []
    guard !path.isEmpty, !path.contains(0) else {
      throw .argument(
        number ?? position + 1, "the name of a file expected, got \(raw(position).described)")
    }
    return path
  }
}
