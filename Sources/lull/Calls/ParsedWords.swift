import LullHost

/// The words of a command line, taken apart, with what they say by the names of the arguments.
struct ParsedWords {
  private let spec: ArgumentSpec
  private let result: ArgumentParser.Result

  init(_ words: some Collection<String>, by spec: ArgumentSpec, page: CommandPage)
    throws(CommandEnd)
  {
    self.spec = spec
    do throws(ArgumentParser.End) {
      result = try ArgumentParser.parse(Array(words), by: spec)
    } catch {
      throw CommandEnd(error, page)
    }
  }

  private func index(_ name: String) -> Int? {
    spec.arguments.firstIndex { $0.names.contains(name) }
  }

  /// All texts given under a name.
  func all(_ name: String) -> [String] { index(name).flatMap { result.texts[$0] } ?? [] }

  func text(_ name: String) -> String? { all(name).first }

  func has(_ name: String) -> Bool { (index(name).flatMap { result.counts[$0] } ?? 0) > 0 }
}
