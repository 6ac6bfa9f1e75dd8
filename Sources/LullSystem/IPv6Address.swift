import LullLibC

/// Parses and formats IPv6 addresses with the C library.
package enum IPv6Address {
  /// Returns the address in the canonical form of the C library; nil if the text isn't an address.
  /// Callable on any thread.
  package static func canonical(_ text: String) -> String? {
    var address = in6_addr()
    guard !text.utf8.contains(0), inet_pton(AF_INET6, text, &address) == 1 else { return nil }
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    // Writes at most the given number of bytes, with a terminating zero byte.
    guard inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
