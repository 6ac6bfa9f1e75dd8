extension APIOwner {
  static let moduleScripting: [APIEntry] = [
    .function(
      "args", "(spec: ArgumentsSpec, words?: string[]): table<string, any>",
      "Reads the script's command line: a table with the value of each argument.",
      """
      Reads the global `arg` unless other words are given. A value is found under the argument's \
      first long name, with `_` for `-`. Understands `--option value`, `--option=value`, `-o value`, \
      `-ovalue`, flags together (`-abc`), `--no-flag`, and `--`, after which everything is \
      positional. Options may stand anywhere.

      `--help` (and `-h`) prints what the specification says and ends the script with 0. Wrong usage \
      ends it with 2, with a message on standard error that names the argument and what is allowed. \
      No `pcall` sees either. In the command that is the way of Ctrl-C, as for `os.exit`; in a stock \
      interpreter `os.exit` is called. What is wrong with the specification raises.
      """,
      example: """
        local args = lull.args({
          description = "Prints users.",
          { "names...", help = "whom to print" },
          { "--limit N", "-n", type = "integer", default = 20, help = "at most so many" },
          { "--verbose", "-v", help = "say what is sent" },
        }, { "ann", "ben", "-n5", "--verbose" })
        print(args.names[2], args.limit, args.verbose)       --> ben 5 true
        """),
    .function(
      "env", "(name: string, default?: any): any",
      "The value of an environment variable; the default, or nil, if there is none.",
      "Not available in the sandbox.",
      example: """
        print(lull.env("API_TOKEN_THAT_IS_NOT_SET", "none"))     --> none
        """),
    .function(
      "read_file", "(path: string): string?, string?",
      "The whole text of a regular file, or nil and what the system says.",
      """
      Pipes, terminals and devices, which could hold up everything else, are refused, as are files \
      over 1 GB. Reads at once: it does not wait, and nothing else runs meanwhile. Not available in \
      the sandbox.
      """,
      example: """
        local text, problem = lull.read_file("no/such/file")
        print(text, problem)                       --> nil no/such/file: No such file or directory
        """),
    .function(
      "write_file", "(path: string, text: string, options?: WriteOptions): boolean?, string?",
      "Writes a whole file in one step: true, or nil and what the system says.",
      """
      The text goes into a new file in the same folder, which then takes the place of the old one, \
      so that nobody sees half of it, nor anybody who may not read it in the end; the old mode is kept \
      (but for setuid, setgid and sticky bits), and owner and group as far as they may be given. \
      A symbolic link stays one, and one that leads nowhere is an error. The disk is not waited for. Only regular files. Not available in the sandbox.
      """,
      example: """
        local path = os.tmpname()
        assert(lull.write_file(path, "one\\n"))
        assert(lull.write_file(path, "two\\n", { append = true }))
        print(#lull.read_file(path))               --> 8
        os.remove(path)
        """),
  ]

  static let writeOptions = APIOwner.table(
    "WriteOptions", "Options of `lull.write_file`.",
    entries: [
      .field(
        "append", "boolean?",
        "Adds to the end of the file instead, in place; default false."),
      .field(
        "mode", "string?",
        "The file's mode in octal digits, such as `\"600\"`; default: as it was, or as for any file."
      ),
    ])

  static let argumentsSpec = APIOwner.table(
    "ArgumentsSpec", "What `lull.args` is to understand: a list of arguments, and these.",
    entries: [
      .field(
        "[integer]", "ArgumentSpec|string",
        "The arguments, in the order of the help; a string is an argument that has only a name."),
      .field("name", "string?", "What messages call the script; default its file's name."),
      .field("description", "string?", "What it does, for the help."),
      .field("notes", "string?", "What stands at the end of the help."),
      .field("version", "string?", "What `--version` prints; without it there is none."),
    ])

  static let argumentSpec = APIOwner.table(
    "ArgumentSpec", "One argument of `lull.args`.",
    entries: [
      .field(
        "[integer]", "string",
        """
        Its names: `"--long"` and `"-s"`, with a word for the value (`"--limit N"`); or the one \
        name of a positional argument, `"file"`, or of all that are left, `"files..."`.
        """),
      .field(
        "type", "ArgumentType|(fun(text: string): any, string?)|nil",
        """
        What its value is; default: as its default is, `"string"` if it takes a value, else \
        `"flag"`. A function gives the value, or nil and what is wrong; it must answer at once.
        """),
      .field(
        "default", "string|number|boolean|table|nil",
        "What it is when it is not given; of a repeated one a list, without it an empty one."),
      .field("choices", "(string|number)[]?", "What texts are allowed."),
      .field("help", "string?", "What it is for, in the help."),
      .field("value", "string?", "What the help calls its value."),
      .field(
        "required", "boolean?",
        "Whether it must be given; default: positional ones without a default."),
      .field(
        "repeated", "boolean?",
        "Whether an option may be given several times: a list; default false."),
    ])

  static let argumentTypes = APIOwner.words(
    "ArgumentType", "What the value of an argument is.",
    entries: [
      .word("flag", "true if it is there, false if not, or taken back by `--no-`."),
      .word("count", "How often it is there."),
      .word("string", "The text."),
      .word("number", "An integer or a float."),
      .word("integer", "A whole number. Beyond 64 bits it keeps its digits."),
    ])
}
