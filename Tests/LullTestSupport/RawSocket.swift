import LullLibC
import Synchronization

/// Loopback TCP sockets that no child inherits; connections are blocking, but none for ever: reading
/// and writing give up after three minutes.
package enum RawSocket {
  /// A listening socket on a free port of 127.0.0.1, for `accept`.
  ///
  /// - Parameter port: 0 for any.
  package static func listen(on port: UInt16 = 0) -> (descriptor: Int32, port: UInt16)? {
    // Not blocking, so that `accept` never waits with the lock.
    let descriptor = make(isBlocking: false)
    guard descriptor >= 0 else { return nil }
    var address = loopback(port)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      // sockaddr_in is one of the forms of sockaddr, as the socket calls expect it.
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(descriptor, address, size) == 0 else { return Int32(-1) }
        guard LullLibC.listen(descriptor, 128) == 0 else { return -1 }
        return getsockname(descriptor, address, &size)
      }
    }
    guard status == 0 else {
      close(descriptor)
      return nil
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// Waits for a connection to a socket of `listen`; nil once that has been shut down.
  package static func accept(_ listener: Int32) -> Int32? {
    while true {
      var end = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
      guard poll(&end, 1, -1) > 0 || errno == EINTR else { return nil }
      let (connection, error) = DescriptorLock.hold {
        let connection = LullLibC.accept(listener, nil, nil)
        let error = errno
        if connection >= 0 {
          _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
          limitWaits(connection)
        }
        return (connection, error)
      }
      if connection >= 0 { return connection }
      // Whoever wanted it may have gone since.
      guard [EAGAIN, EINTR, ECONNABORTED].contains(error) else { return nil }
    }
  }

  /// Where none of those are that the system gives to who asks for any; 10,000 more are still below them, which
  /// the nodes of a cluster of Redis use besides.
  private static let ownPorts: Range<UInt16> = 12_000..<22_000
  private static let nextPort = Mutex(UInt16.random(in: ownPorts))

  /// Ports that are free, and stay so: nobody else is given them.
  package static func freePorts(_ count: Int) -> [UInt16] {
    var ports: [UInt16] = []
    for _ in ownPorts where ports.count < count {
      let port = nextPort.withLock { next in
        defer { next = next + 1 < ownPorts.upperBound ? next + 1 : ownPorts.lowerBound }
        return next
      }
      if let socket = listen(on: port) {
        close(socket.descriptor)
        ports.append(port)
      }
    }
    return ports
  }

  /// Whether somebody accepts connections on `port`, waiting for it.
  package static func isAnswering(_ port: UInt16, within seconds: Int) -> Bool {
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
  package static func connect(to port: UInt16) -> Int32? {
    let descriptor = make()
    var address = loopback(port)
    let status = withUnsafePointer(to: &address) {
      // As above.
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        LullLibC.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private static func make(isBlocking: Bool = true) -> Int32 {
    let descriptor = CLibrary.makeSocket(AF_INET, CLibrary.stream, 0, isBlocking: isBlocking)
    if isBlocking { limitWaits(descriptor) }
    return descriptor
  }

  /// Whoever waits for a side that has nothing more to say is a test that would never end.
  private static func limitWaits(_ descriptor: Int32) {
    var longest = timeval(tv_sec: 180, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &longest, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &longest, size)
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}
