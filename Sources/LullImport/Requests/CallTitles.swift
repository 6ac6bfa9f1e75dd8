/// What calls are called: by what is asked for, with the method before it where that is not GET.
struct CallTitles {
  private var names = UniqueNames()
  private let known: [KnownCalls.Call]

  /// - Parameter known: those that are there already.
  init(_ known: [KnownCalls.Call] = []) {
    self.known = known
    for call in known { _ = names.name(for: call.name) }
  }

  mutating func name(for request: SeenRequest, path: String) -> String {
    let written = LuaLiteral.quoted(path).dropFirst().dropLast()
    // The same once more.
    if let call = known.first(where: { $0.method == request.method && $0.path == written }) {
      return call.name
    }
    if let name = request.name.flatMap({ CallTitles.plain($0) }) { return names.name(for: name) }
    let title = PathTemplate(request.path).title
    guard request.method != "GET" else { return names.name(for: title) }
    return names.name(for: "\(UniqueNames.plain(request.method.lowercased(), else: "do"))_\(title)")
  }

  /// What people have called it, in letters that are typed without quotes.
  private static func plain(_ name: String) -> String? {
    var text = ""
    for character in Blank.shown(name).prefix(80) {
      if character.isLetter || character.isNumber || "/.".contains(character) {
        text.append(contentsOf: character.lowercased())
      } else if !text.hasSuffix("_"), !text.hasSuffix("/"), !text.isEmpty {
        text.append("_")
      }
    }
    while let last = text.last, "_/.".contains(last) { text.removeLast() }
    text = String(text.drop { "_/.-".contains($0) })
    return text.isEmpty ? nil : text
  }
}
