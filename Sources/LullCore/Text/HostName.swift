internal import CIDN
import LullSystem

/// Converts a host in a URL to its canonical form: in lower case, percent-decoded, with
/// international names as A-labels (UTS 46) and addresses in the usual notation. Hosts are
/// compared, resolved and passed on in this form, so that every program interprets them in the same
/// way.
package enum HostName {
  package struct Problem: Error, Equatable {
    package let message: String
  }

  /// Returns the canonical form of a host.
  ///
  /// - Parameter host: The host as in a URL, where an IPv6 address has brackets.
  package static func canonical(_ host: some Collection<UInt8>) throws(Problem) -> String {
    if host.first == UInt8(ascii: "[") { return try address(host) }
    var name = unescaped(host)
    if name.contains(where: { $0 >= 0x80 }) { name = try international(name) }
    for index in name.indices {
      let byte = name[index]
      guard ResourceURL.Escaping.host.contains(byte) else {
        throw problem(host, "it has a character that is not valid in a host name")
      }
      if byte >= 65, byte <= 90 { name[index] = byte | 0x20 }
    }
    guard !name.isEmpty else { throw problem(host, "it is empty") }
    switch numeric(name) {
    case .name: return String(decoding: name, as: UTF8.self)
    case .address(let text): return text
    case .neither: throw problem(host, "it is not an IPv4 address")
    }
  }

  /// Whether a host in a URL has non-ASCII letters, percent-encoded or not.
  static func isInternational(_ host: some Collection<UInt8>) -> Bool {
    host.contains { $0 >= 0x80 }
      || host.contains(UInt8(ascii: "%")) && unescaped(host).contains { $0 >= 0x80 }
  }

  private static func problem(_ host: some Collection<UInt8>, _ reason: String) -> Problem {
    let text = Array(host).withUnsafeBufferPointer { ResourceURL.text(ofBytes: $0) }
    return Problem(
      message: "the host name '\(LogText.part(text, limit: 80))' is not valid (\(reason))")
  }

  private static func unescaped(_ host: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(host)
    guard bytes.contains(UInt8(ascii: "%")) else { return bytes }
    return bytes.withUnsafeBufferPointer { ResourceURL.Escaping.decoded($0) }
  }

  // MARK: International names

  private static func international(_ name: [UInt8]) throws(Problem) -> [UInt8] {
    guard name.withUnsafeBufferPointer({ UTF8Validation.isValid($0) }) else {
      throw problem(name, "it is not UTF-8")
    }
    // A zero byte would end the name early in C. The mapping must not produce a separator either,
    // so `canonical` checks its result.
    guard !name.contains(0) else { throw problem(name, "it has a zero byte") }
    var ascii = [CChar](repeating: 0, count: Int(CIDN_SIZE))
    // Both strings end with a zero byte. The returned error is static text.
    let failure = name.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { name in
      (Array(name) + [0]).withUnsafeBufferPointer { cidn_to_ascii($0.baseAddress, &ascii) }
    }
    if let failure { throw problem(name, String(cString: failure)) }
    let result = ascii.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    var labels = result.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if labels.count > 1, labels.last?.isEmpty ?? false { labels.removeLast() }
    guard !labels.contains(where: \.isEmpty) else { throw problem(name, "a label is empty") }
    return result
  }

  // MARK: Addresses

  private static func address(_ host: some Collection<UInt8>) throws(Problem) -> String {
    let inside = Array(host.dropFirst())
    guard inside.last == UInt8(ascii: "]") else { throw problem(host, "it has no ]") }
    let parts = inside.dropLast().split(
      separator: UInt8(ascii: "%"), maxSplits: 1, omittingEmptySubsequences: false)
    var zone = ""
    if parts.count == 2 {
      let name = parts[1].starts(with: "25".utf8) ? parts[1].dropFirst(2) : parts[1]
      let allowed = ResourceURL.ASCIISet("-._~")
      guard (1...15).contains(name.count), name.allSatisfy({ allowed.contains($0) }) else {
        throw problem(host, "its zone is not valid")
      }
      zone = "%25" + String(decoding: name, as: UTF8.self)
    }
    guard let digits = IPv6Address.canonical(String(decoding: parts[0], as: UTF8.self)) else {
      throw problem(host, "it is not an IPv6 address")
    }
    return "[" + digits + zone + "]"
  }

  private enum Numeric {
    case name
    case address(String)
    /// The last label is a number, but the host is not an address.
    case neither
  }

  /// Parses an IPv4 address in any form that the system's resolver accepts: `127.0.0.1`, `127.1`,
  /// `0x7f.1`, `2130706433`, `0177.0.0.1.`. (WHATWG URL, 3.5)
  private static func numeric(_ name: [UInt8]) -> Numeric {
    var parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if parts.count > 1, parts.last?.isEmpty ?? false { parts.removeLast() }
    guard let last = parts.last, !last.isEmpty else { return .name }
    let isHex =
      last.count > 2 && last.starts(with: "0x".utf8)
      && last.dropFirst(2).allSatisfy { Hexadecimal.value($0) != nil }
    guard isHex || last.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return .name }
    guard parts.count <= 4 else { return .neither }
    var address: UInt64 = 0
    for (index, part) in parts.enumerated() {
      guard let number = number(part) else { return .neither }
      let isLast = index == parts.count - 1
      let bytes = isLast ? 5 - parts.count : 1
      guard number < 1 << UInt64(8 * bytes) else { return .neither }
      address = address << UInt64(8 * bytes) | number
    }
    let shifts: [UInt64] = [24, 16, 8, 0]
    return .address(shifts.map { "\(address >> $0 & 255)" }.joined(separator: "."))
  }

  /// Parses a decimal number, an octal number after `0`, or a hexadecimal number after `0x`.
  /// Returns nil for any other text, and for numbers of 2³² or more.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var digits = digits
    var base: UInt64 = 10
    if digits.starts(with: "0x".utf8) {
      base = 16
      digits = digits.dropFirst(2)
    } else if digits.count > 1, digits.first == UInt8(ascii: "0") {
      base = 8
      digits = digits.dropFirst()
    }
    guard !digits.isEmpty else { return nil }
    var number: UInt64 = 0
    for digit in digits {
      guard let value = Hexadecimal.value(digit), UInt64(value) < base else { return nil }
      number = number * base + UInt64(value)
      guard number <= 0xFFFF_FFFF else { return nil }
    }
    return number
  }
}

/// A host with an optional port, such as `example.com`, `example.com:443`, `127.0.0.1:80`, `::1` or
/// `[::1]:80`.
package struct HostAndPort: Sendable, Equatable {
  /// The host in the canonical form of `HostName`, but without brackets around an IPv6 address.
  package var host: String
  package var port: Int?

  package init(host: String, port: Int?) {
    self.host = host
    self.port = port
  }

  /// Parses a text. Returns nil if it is not a host with an optional port.
  package init?(_ text: some StringProtocol) {
    var name = Substring(text)
    var portText: Substring?
    if name.first == "[" {
      guard let end = name.firstIndex(of: "]") else { return nil }
      let rest = name[name.index(after: end)...]
      guard rest.isEmpty || rest.first == ":" else { return nil }
      portText = rest.isEmpty ? nil : rest.dropFirst()
      name = name[...end]
    } else if let colon = name.firstIndex(of: ":") {
      if name.lastIndex(of: ":") == colon {
        portText = name[name.index(after: colon)...]
        name = name[..<colon]
      } else {
        name = "[" + name + "]"
      }
    }
    if let portText {
      guard portText.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let port = Int(portText),
        (1...65535).contains(port)
      else { return nil }
      self.port = port
    }
    guard name.utf8.allSatisfy(HostAndPort.mayStandInAHost),
      let host = try? HostName.canonical(Array(name.utf8))
    else { return nil }
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
  }

  /// The host and the port, as in a URL.
  package var description: String {
    port.map { "\(urlHost):\($0)" } ?? urlHost
  }

  /// The host as in a URL, with brackets around an IPv6 address.
  package var urlHost: String { host.contains(":") ? "[\(host)]" : host }

  private static func mayStandInAHost(_ byte: UInt8) -> Bool {
    byte > 32 && byte != 127 && !"/?#@,;\\\"'".utf8.contains(byte)
  }
}
