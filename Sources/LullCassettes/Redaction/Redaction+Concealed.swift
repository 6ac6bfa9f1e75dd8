import LullCore
import LullTransport

/// What is hidden and stands in a recording where nothing can be put in its place: in what is compressed, in which
/// other bytes would be another file.
extension Redaction {
  /// What to look at in a recording before anybody else sees it: what may be a token that nobody has named, parts
  /// of those that are hidden, and what nobody can look into.
  package func suspicions(in entries: [HAREntry]) -> [String] {
    Leftover.all(in: entries).map(\.description) + unhidden(in: entries) + parts(in: entries)
      + opaque(in: entries)
  }

  /// Values that were to be hidden by their names and are not: numbers, objects, whose fields have names of their
  /// own, and what is too short to be found again.
  private func unhidden(in entries: [HAREntry]) -> [String] {
    guard !names.isEmpty else { return [] }
    return entries.enumerated().flatMap { index, entry in
      var found: [String] = []
      let request = entry.request
      if !namedValues(request.headers, [request.url], request.body).isEmpty
        || NamedCredentials.hasOther(named: names, inBody: request.body?.bytes ?? [])
      {
        found.append("request")
      }
      if let response = entry.response,
        !namedValues(response.headers, [response.finalURL ?? ""], response.body).isEmpty
          || NamedCredentials.hasOther(named: names, inBody: response.body?.bytes ?? [])
      {
        found.append("response")
      }
      return found.map {
        "number \(index + 1), \($0): what is to be hidden there is a number, an object, true or false, or shorter than 4 characters"
      }
    }
  }

  /// Such places by the exchanges that have them, from 0, each with what stands there; of a recording without what
  /// could be taken out. (CAS-71)
  package func concealed(in entries: [HAREntry]) -> [Int: String] {
    var found: [Int: String] = [:]
    for (index, entry) in entries.enumerated() {
      for (place, body, codings) in Redaction.bodies(of: entry) {
        guard found[index] == nil, let mask = hiddenIn(coded: body.bytes, codings) else { continue }
        found[index] = "number \(index + 1), \(place), has \(mask) in what is compressed"
      }
    }
    return found
  }

  /// Bodies into which nobody can look, each with why. (CAS-71)
  private func opaque(in entries: [HAREntry]) -> [String] {
    entries.enumerated().flatMap { index, entry in
      Redaction.bodies(of: entry).compactMap { place, body, codings in
        guard let codings, case .unknown(let why) = Redaction.content(body.bytes, codings) else {
          return nil
        }
        return "number \(index + 1), \(place), which is \(why)"
      }
    }
  }

  /// A response's is decoded already, unless it is a file that is compressed.
  private static func bodies(
    of entry: HAREntry
  ) -> [(place: String, body: HARBody, codings: String?)] {
    var bodies: [(String, HARBody, String?)] = []
    if let body = entry.request.body {
      bodies.append(("request body", body, codings(of: entry.request)))
    }
    if let body = entry.response?.body { bodies.append(("response body", body, nil)) }
    return bodies
  }

  /// What a request says its body is coded as; nil if it says nothing.
  private static func codings(of request: HARRequest) -> String? {
    let values = request.headers.filter { $0.name.lowercased() == "content-encoding" }
    return values.isEmpty
      ? nil : values.map { String(escaping: $0.value) }.joined(separator: ",")
  }

  /// Whether other bytes in its place would make it another file: it stays as it is.
  static func isCoded(_ body: HARBody, of request: HARRequest? = nil) -> Bool {
    if case .decoded = content(body.bytes, request.flatMap(codings)) { true } else { false }
  }

  private static func content(_ bytes: [UInt8], _ codings: String?) -> CodedBytes.Content {
    let content = CodedBytes.content(of: bytes, codedAs: codings)
    return content == .plain ? CodedBytes.content(of: bytes) : content
  }

  /// The mask of the first thing that is hidden in what the bytes say, or what base64 in them says.
  private func hiddenIn(coded bytes: [UInt8], _ codings: String?, depth: Int = 3) -> String? {
    guard depth > 0 else { return nil }
    if case .decoded(let inner) = Redaction.content(bytes, codings) {
      // What is broken is looked at as it is, too.
      return firstMask(in: inner) ?? hiddenIn(coded: inner, nil, depth: depth - 1)
        ?? firstMask(in: bytes)
    }
    var found: String?
    _ = EncodedWords(bytes) { inner in
      // Most words are none: only what is compressed is looked at here.
      if found == nil, CodedBytes.mayBeCoded(inner) {
        found = hiddenIn(coded: inner, nil, depth: depth - 1)
      }
      return nil
    }
    return found
  }

  /// Of what is hidden there, the first.
  private func firstMask(in bytes: [UInt8]) -> String? {
    let shown = hidden(bytes)
    guard shown != bytes else { return nil }
    return masks(in: bytes).first ?? CredentialMask.mark
  }
}
