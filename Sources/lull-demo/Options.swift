import LullArguments

/// What the command line asks for.
struct Options: Sendable {
  /// 0 for any free port.
  let port: UInt16
  let isQuiet: Bool

  /// A command line that asks for nothing to be served.
  enum End: Error {
    case help
    case misuse(String)
  }

  static let spec = ArgumentSpec(
    name: "lull-demo",
    description: """
      Serves a sample API on 127.0.0.1 until it is interrupted, or until its standard input ends
      if that is a pipe. The first line it writes says where.
      """,
    arguments: [
      .init(
        "--port", placeholder: "N",
        demand: .init("a whole number from 0 to 65535") { UInt16($0) != nil },
        help: "the port to serve on; 0, the default, takes any that is free"),
      .init("--quiet", kind: .flag, help: "do not list the routes"),
    ])

  init(_ words: some Sequence<String>) throws(End) {
    do throws(ArgumentParser.End) {
      let parsed = try ArgumentParser.parse(Array(words), by: Options.spec)
      port = parsed.text("--port").flatMap { UInt16($0) } ?? 0
      isQuiet = parsed.has("--quiet")
    } catch {
      switch error {
      case .problem(let text): throw .misuse(text)
      case .help, .version: throw .help
      }
    }
  }
}
