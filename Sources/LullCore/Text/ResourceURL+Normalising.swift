extension ResourceURL {
  /// This text as the URL it is: behind a host an empty path is `/`, and an international host name is
  /// written in A-labels. nil if it is none. (SVC-16, SVC-26)
  func normalised() -> ResourceURL? {
    withBytes { bytes in
      let parts = Components(bytes)
      guard parts.isValid(in: bytes) else { return nil }
      guard let schemeEnd = parts.schemeEnd, let range = parts.authority else { return self }
      let host = Authority(bytes, range).host
      var name: String?
      if ResourceURL.hasToBeRead(bytes[host]), ResourceURL.needsHost(scheme: bytes[..<schemeEnd]) {
        guard let canonical = try? HostName.canonical(bytes[host]) else { return nil }
        if HostName.isInternational(bytes[host]) { name = canonical }
      }
      guard name != nil || parts.path.isEmpty else { return self }
      var result = Array(bytes[..<host.lowerBound])
      if let name { result += name.utf8 } else { result += bytes[host] }
      result += bytes[host.upperBound..<parts.path.lowerBound]
      if parts.path.isEmpty { result.append(UInt8(ascii: "/")) }
      result += bytes[parts.path.lowerBound...]
      return ResourceURL(unchecked: String(decoding: result, as: UTF8.self))
    }
  }

  /// Whether a host holds what has to be converted before it can be compared: an address does not.
  private static func hasToBeRead(_ host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    host.first != UInt8(ascii: "[") && host.contains { $0 >= 0x80 || $0 == UInt8(ascii: "%") }
  }

  /// Whether a text begins with a host: `localhost`, an address, a name with a dot or with a port.
  package static func lacksScheme(_ text: String) -> Bool {
    guard !text.contains("://"), !text.hasPrefix("//") else { return false }
    let authority = text.prefix { !"/?#".contains($0) }
    if authority.hasPrefix("[") { return authority.contains("]") }
    let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty, parts.count < 3,
      name.allSatisfy({ $0.isLetter || $0.isNumber || "-_.".contains($0) })
    else { return false }
    if parts.count == 2 { return !parts[1].isEmpty && parts[1].allSatisfy(\.isNumber) }
    return name == "localhost" || name.contains(".") && name.last != "."
  }

  /// What is wrong with the host of a text that is no URL, in words; nil if it is something else.
  package static func hostProblem(in text: String) -> String? {
    ResourceURL(unchecked: text).withBytes { bytes in
      let parts = Components(bytes)
      guard let range = parts.authority else { return nil }
      if let end = parts.schemeEnd, !needsHost(scheme: bytes[..<end]) { return nil }
      let host = bytes[Authority(bytes, range).host]
      guard hasToBeRead(host) else { return nil }
      do throws(HostName.Problem) {
        _ = try HostName.canonical(host)
        return nil
      } catch {
        return error.message
      }
    }
  }

  /// Bytes as a text of a URL: those that are no UTF-8 are percent-encoded, each for itself.
  package static func text(ofBytes bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard !UTF8Validation.isValid(bytes) else { return String(decoding: bytes, as: UTF8.self) }
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      // The characters of UTF-8 have up to four bytes.
      let length = (1...4).first { length in
        index + length <= bytes.count
          && UTF8Validation.isValid(
            UnsafeBufferPointer(rebasing: bytes[index..<(index + length)]))
      }
      if let length {
        result += bytes[index..<(index + length)]
        index += length
      } else {
        Escaping.append(CollectionOfOne(bytes[index]), to: &result, keeping: Escaping.path)
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
