/// What an API is called by its host: `github` for `https://api.github.com`.
package enum HostTitle {
  package static func name(of origin: String) -> String {
    let host = origin.split(separator: "/").last?.prefix { $0 != ":" } ?? ""
    var labels = host.split(separator: ".").map(String.init)
    guard labels.count > 1, !labels.allSatisfy({ $0.allSatisfy(\.isNumber) }), !host.hasPrefix("[")
    else {
      return labels.first.map { UniqueNames.plain($0, else: "api") }.flatMap {
        $0.first?.isLetter == true ? $0 : nil
      }
        ?? "api"
    }
    labels.removeLast()
    if labels.count > 1, ["co", "com", "org", "net", "gov", "ac", "edu"].contains(labels.last) {
      labels.removeLast()
    }
    return UniqueNames.plain(labels.last ?? "api", else: "api").lowercased()
  }
}
