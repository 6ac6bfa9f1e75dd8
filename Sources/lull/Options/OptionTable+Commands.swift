import LullArguments
import LullSystem
import LullTransport

/// Options that several commands share, except the options of requests.
extension OptionTable {
  /// The option for the output format of a list. The format `raw` is excluded, because a list is
  /// not a response body.
  static func format(standard: String? = nil) -> Argument {
    Argument(
      names: ["-o", "--output"], placeholder: "FORMAT",
      choices: OutputFormat.names.filter { $0 != "raw" }, help: "Set the output format.",
      standard: standard)
  }

  /// The output format of a list, and the protection against CSV formulas.
  static func list(standard: String? = nil) -> [Argument] {
    var guarding = csvGuard
    guarding.category = nil
    return [format(standard: standard), guarding]
  }

  // MARK: Traffic

  static let traffic: [Argument] = [
    .init(
      "--from-cache", kind: .flag, help: "Use the cached responses of the API.",
      details: "The cache is that of lull.cache.file()."),
    .init(
      "--from-har", placeholder: "FILE", demand: .fileName, help: "Use a recording.",
      details: "A cassette of lull test or any HTTP Archive; - is standard input.",
      isRepeated: true),
  ]

  // MARK: Documents

  static let only = Argument(
    names: ["--only"], placeholder: "PATTERN", demand: .some("a pattern"),
    help: "Take only calls that match.",
    details: "Matches the name, the tag or the path of a call; * and ? are wildcards.",
    isRepeated: true)

  // MARK: Shared servers

  static let share: [Argument] = [
    .init(
      "--namespace", placeholder: "NAME", help: "Set the namespace of lull.share (default lull)."),
    .init(
      "--ca-file", placeholder: "FILE", help: "Trust the certificates in this file (PEM).",
      details: "With rediss://, these certificates replace those of the system."),
  ]

  static let textOrJSON = Argument(
    names: ["-o", "--output"], placeholder: "FORMAT", choices: ["text", "json"],
    help: "Set the output format.", standard: "text")

  // MARK: Logins

  static let login: [Argument] = [
    .init(positional: "API", help: "An API by name, its file, or a script.", isRequired: true),
    .init("--name", placeholder: "NAME", help: "Choose one of several logins."),
  ]
}
