/// What the command line asks for.
struct Options: Sendable {
  /// 0 for any free port.
  var port: UInt16 = 0
  var quiet = false
  var help = false

  struct Misuse: Error {
    let message: String
  }

  static let usage = """
    usage: lull-demo [--port N] [--quiet]

    Serves a sample API on 127.0.0.1 until it is interrupted, or until its standard input ends
    if that is a pipe. The first line it writes says where.

      --port N   the port to serve on; 0, the default, takes any that is free
      --quiet    do not list the routes
      --help     show this
    """

  init(_ arguments: some Sequence<String>) throws(Misuse) {
    var arguments = arguments.makeIterator()
    while let argument = arguments.next() {
      switch argument {
      case "--quiet": quiet = true
      case "--help", "-h": help = true
      case "--port": port = try Self.port(arguments.next())
      case _ where argument.hasPrefix("--port="):
        port = try Self.port(String(argument.dropFirst("--port=".count)))
      default: throw Misuse(message: "unknown argument '\(argument)'")
      }
    }
  }

  private static func port(_ text: String?) throws(Misuse) -> UInt16 {
    guard let text else { throw Misuse(message: "--port needs a number") }
    guard let port = UInt16(text) else {
      throw Misuse(message: "'\(text)' is not a port: a whole number from 0 to 65535 is")
    }
    return port
  }
}
