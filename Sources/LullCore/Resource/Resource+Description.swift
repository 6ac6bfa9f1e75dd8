extension Resource: Hashable {
  /// Whether both are the same object; of one service and URL there is one while anybody holds it. Two services
  /// have a resource each. (SVC-24, SWF-161)
  public static func == (one: Resource, other: Resource) -> Bool { one === other }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Resource: CustomStringConvertible {
  /// The URL without credentials, and what is there: `https://api.test/users/7 has data, is loading`.
  /// (STA-16) Asks no cache. Siesta's `Resource(…)[LD]` and Lua's `tostring` are shorter.
  public var description: String {
    let name = record.invalidSource == nil ? LogText.url(url.text) : displayName
    var parts: [String] = []
    if record.state.latestData != nil { parts.append("has data") }
    if let error = record.state.latestError { parts.append("failed: \(error.userMessage)") }
    if parts.isEmpty { parts.append("has no data") }
    if isLoading { parts.append("is loading") }
    return name + " " + parts.joined(separator: ", ")
  }
}
