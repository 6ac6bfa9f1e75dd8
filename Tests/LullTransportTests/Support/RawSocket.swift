import Glibc

/// Loopback TCP sockets, blocking.
enum RawSocket {
  /// A listening socket on a free port of 127.0.0.1.
  static func listen() -> (descriptor: Int32, port: UInt16)? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var address = loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      // sockaddr_in is one of the forms of sockaddr, as the socket calls expect it.
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(descriptor, address, size) == 0 else { return Int32(-1) }
        guard Glibc.listen(descriptor, 128) == 0 else { return -1 }
        return getsockname(descriptor, address, &size)
      }
    }
    guard status == 0 else {
      close(descriptor)
      return nil
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// Ports that were free a moment ago.
  static func freePorts(_ count: Int) -> [UInt16] {
    let sockets = (0..<count).compactMap { _ in listen() }
    for socket in sockets { close(socket.descriptor) }
    return sockets.map(\.port)
  }

  /// Whether somebody accepts connections on `port`, waiting for it.
  static func isAnswering(_ port: UInt16, within seconds: Int) -> Bool {
    for _ in 0..<(seconds * 100) {
      if let descriptor = connect(to: port) {
        close(descriptor)
        return true
      }
      usleep(10_000)
    }
    return false
  }

  /// A connection to `port`; nil if nobody listens.
  static func connect(to port: UInt16) -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = loopback(port)
    let status = withUnsafePointer(to: &address) {
      // As above.
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}
