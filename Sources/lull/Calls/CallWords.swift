import LullArguments
import LullClients

/// The words of a command line for a call, some of whose parameters are called like options of `lull call`: those
/// keep their meaning, and nobody takes the one for the other unawares. (PAR-16, PAR-17)
struct CallWords {
  /// A parameter that would be called like an option, and what it is called instead.
  private struct Namesake {
    let parameter: CallParameter
    let taken: String
    let option: String
  }

  /// With pairs that can be no filter given to the parameter that is one.
  let words: [String]
  private let namesakes: [Namesake]
  private let options: [Argument]

  init(_ words: [String], for call: APICall) {
    options = CallPage.options(hasPages: call.hasPages)
    let taken = CallPage.taken(hasPages: call.hasPages)
    let names = call.options(beside: taken)
    namesakes = zip(call.parameters, names).compactMap { parameter, option in
      let own = "--" + CallParameter.dashed(parameter.name)
      guard taken.contains(own), own != option else { return nil }
      return Namesake(parameter: parameter, taken: own, option: option)
    }
    guard
      let filter = namesakes.first(where: { $0.taken == "--filter" && $0.parameter.kind == .object }
      )
    else {
      self.words = words
      return
    }
    self.words = CallWords.readdressed(words, to: filter.option)
  }

  /// `--filter kind=cat` and `--filter=kind=cat` are a parameter's: no expression of Lua is written so.
  private static func readdressed(_ words: [String], to option: String) -> [String] {
    var result: [String] = []
    let end = words.firstIndex(of: "--") ?? words.endIndex
    for word in words[..<end] {
      if word.hasPrefix("--filter="), isPair(word.dropFirst("--filter=".count)) {
        result.append(option + word.dropFirst("--filter".count))
      } else {
        if result.last == "--filter", isPair(word[...]) { result[result.count - 1] = option }
        result.append(word)
      }
    }
    return result + words[end...]
  }

  /// A name, `=`, and something that makes no `==` of it.
  private static func isPair(_ text: Substring) -> Bool {
    let name = text.prefix { $0.isLetter || $0.isNumber || "_-.[]".contains($0) }
    let rest = text[name.endIndex...]
    let isName = name.first.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
    return isName && rest.hasPrefix("=") && !rest.hasPrefix("==")
  }

  /// Lines about options that were given where the parameter of that name may be meant.
  func notes(on parsed: ParsedArguments) -> [String] {
    namesakes.compactMap { namesake in
      let isGiven = words.contains {
        $0 == namesake.taken || $0.hasPrefix(namesake.taken + "=")
      }
      guard isGiven, !parsed.isGiven(namesake.option) else { return nil }
      let short = options.first { $0.names.contains(namesake.taken) }?.names
        .first { !$0.hasPrefix("--") }
      return "lull: note: \(namesake.taken) is the option of lull call"
        + (short.map { ", as \($0) is" } ?? "")
        + "; the parameter '\(namesake.parameter.name)' is given as \(namesake.option)\n"
    }
  }
}
