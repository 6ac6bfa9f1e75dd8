import LullLibC

/// IPv6 addresses as the system's resolver reads and writes them.
package enum IPv6Address {
  /// The one way of writing it that the C library has; nil if the text is no address. Any thread.
  package static func canonical(_ text: String) -> String? {
    var address = in6_addr()
    guard !text.utf8.contains(0), inet_pton(AF_INET6, text, &address) == 1 else { return nil }
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    // Writes no more than it is told, and ends it with a zero byte.
    guard inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
