import LullArguments
import LullClients

/// What the command line asks for.
struct MockOptions {
  let api: String
  let cassettes: [String]
  /// 0 for any free port.
  let port: UInt16
  let address: String
  let hosts: [String]
  let origins: [String]
  /// Seconds.
  let patience: Int
  /// How long a function may run without waiting, in seconds.
  let longest: Double
  let isQuiet: Bool
  /// Whether recorded answers come as late as they were recorded.
  let hasDelays: Bool

  init(_ parsed: ParsedArguments) {
    api = parsed.text("API") ?? ""
    cassettes = parsed.all("--cassette")
    port = parsed.text("--port").flatMap { UInt16($0) } ?? 0
    address = parsed.text("--bind") ?? "127.0.0.1"
    hosts = parsed.all("--host")
    origins = parsed.all("--cors")
    patience = parsed.text("--timeout").flatMap { Int($0) } ?? MockArguments.patience
    longest = parsed.text("--max-time").flatMap(MockArguments.seconds) ?? MockArguments.longest
    isQuiet = parsed.has("--quiet")
    hasDelays = parsed.has("--delays")
  }
}
