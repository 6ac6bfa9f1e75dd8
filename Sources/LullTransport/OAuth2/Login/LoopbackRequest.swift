import LullCore

/// The head of a request that a browser on this machine makes; just as much of HTTP as that takes.
struct LoopbackRequest: Equatable {
  let method: String
  /// As it stands in the request line: path and query.
  let target: String
  /// The values of all headers of that name.
  let hosts: [String]

  /// nil if it is none.
  ///
  /// - Parameter head: up to the empty line, without that.
  init?(head: some Collection<UInt8>) {
    let text = String(decoding: head, as: UTF8.self)
    // As CR LF is one character, either counts as the end of a line.
    var lines = text.split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\n" }[...]
    let words = (lines.popFirst() ?? "").split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[1].hasPrefix("/"),
      ["HTTP/1.1", "HTTP/1.0"].contains(words[2])
    else { return nil }
    method = String(words[0])
    target = String(words[1])
    var hosts: [String] = []
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else { return nil }
      guard line[..<colon].lowercased() == "host" else { continue }
      let value = line[colon...].dropFirst()
      hosts.append(String(value.drop { $0 == " " || $0 == "\t" }))
    }
    self.hosts = hosts
  }

  var path: Substring { target.prefix { $0 != "?" } }

  /// The parameters in their order; nil if an escape is none, or something is no text.
  var parameters: [(name: String, value: String)]? {
    guard let mark = target.firstIndex(of: "?") else { return [] }
    var pairs: [(name: String, value: String)] = []
    for part in target[mark...].dropFirst().split(separator: "&") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = LoopbackRequest.text(halves[0]),
        let value = LoopbackRequest.text(halves.count > 1 ? halves[1] : "")
      else { return nil }
      pairs.append((name, value))
    }
    return pairs
  }

  /// As in a form.
  private static func text(_ escaped: Substring) -> String? {
    let bytes = escaped.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    guard let decoded = try? PercentEncoding.decode(bytes[...]) else { return nil }
    return String(validating: decoded, as: UTF8.self)
  }
}
