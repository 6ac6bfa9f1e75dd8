import LullArguments

/// A field of rows as bars.
extension CallOptions {
  static var chartArguments: [Argument] {
    [
      .init(
        names: ["--chart"], placeholder: "FIELD",
        help:
          "draw that field of the rows, or of what -f gives, as bars, or as a line of marks where "
          + "there are more rows than the terminal has; value draws a list of numbers")
    ]
  }

  mutating func readChart(_ words: ParsedArguments, for command: Command) throws(CommandEnd) {
    guard let field = words.text("--chart") else { return }
    guard !field.isEmpty else {
      throw .wrongUsage("--chart needs the name of a field, such as visits", command)
    }
    let others = ["-o", "-O", "--download", "-r", "--columns", "--stream"]
    if let other = others.first(where: { words.isGiven($0) }) {
      throw .wrongUsage(
        "--chart draws the rows instead of writing them: it does not go with \(other)", command)
    }
    chart = field
  }
}
