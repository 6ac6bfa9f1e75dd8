import LullClients
import LullCore

/// Creates the `Accept` header of a call from the response types in the document.
struct AcceptReader {
  let document: OpenAPIDocument

  private static let most = 20

  /// Returns the types of successful responses, with JSON first, followed by the types of error
  /// responses. `nil` if the document names no types, or only JSON, which calls accept by default.
  func header(of operation: ImportNode) -> String? {
    var (successes, errors): ([String], [String]) = ([], [])
    let answers = (operation["responses"]?.pairs ?? []).filter { !$0.key.hasPrefix("x-") }
    let hasSuccess = answers.contains { $0.key.hasPrefix("2") }
    for (status, written) in answers {
      let types = document.contents(of: document.target(of: written)).map(\.key)
      if status.hasPrefix("2") || status == "default" && !hasSuccess {
        successes += types
      } else {
        errors += types
      }
    }
    successes = AcceptReader.plain(successes)
    guard successes.contains(where: { $0 != "application/json" && $0 != "text/json" }),
      successes != ["*/*"]
    else { return nil }
    let json =
      successes.filter { $0 == "application/json" }
      + successes.filter { $0 != "application/json" && MediaType.isJSON($0) }
    let others = successes.filter { !json.contains($0) }
    var texts = json
    texts += others.map { json.isEmpty ? $0 : "\($0);q=0.9" }
    texts += AcceptReader.plain(errors).filter { !successes.contains($0) && !$0.contains("*") }
      .map { "\($0);q=0.8" }
    return texts.prefix(AcceptReader.most).joined(separator: ", ")
  }

  /// Returns the types in lower case, without charset and duplicates. A type that is not valid in a
  /// header is omitted.
  private static func plain(_ types: [String]) -> [String] {
    var plain: [String] = []
    for type in types {
      let parts = type.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      guard let name = parts.first?.lowercased(), isRange(name) else { continue }
      let rest = parts.dropFirst().filter { part in
        let key = part.lowercased().prefix { $0 != "=" }
        return key != "charset" && key != "q" && part.contains("=") && isPlain(part)
      }
      plain.append(([name] + rest).joined(separator: ";"))
    }
    var seen: Set<String> = []
    // A type without parameters also covers the same type with parameters.
    return plain.filter { type in
      let name = MediaType.essence(type)
      return (type == name || !plain.contains(name)) && seen.insert(type).inserted
    }
  }

  private static func isRange(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { Headers.isName(String($0)) }
  }

  private static func isPlain(_ parameter: String) -> Bool {
    parameter.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }
  }

  /// If all calls have the same `Accept` header, moves it to the service. Types of streams stay
  /// with their calls, which need another order when they stream.
  func lift(in api: inout ImportedAPI) {
    func accept(_ call: ImportedCall) -> ImportedText? {
      call.headers.first { $0.name == "Accept" }?.value
    }
    guard api.calls.count > 1, let first = api.calls.first, case .plain(let text)? = accept(first),
      api.calls.allSatisfy({ accept($0) == .plain(text) }), !StreamTypes.areIn(accept: text)
    else { return }
    api.headers.append(("Accept", .plain(text)))
    for number in api.calls.indices { api.calls[number].headers.removeAll { $0.name == "Accept" } }
  }
}
