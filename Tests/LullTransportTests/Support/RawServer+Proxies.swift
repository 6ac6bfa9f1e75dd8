extension RawServer {
  /// A proxy that answers every request itself, with `by proxy`.
  static func plainProxy() -> RawServer? {
    RawServer { connection in
      while connection.readRequest() != nil { connection.answer("by proxy") }
    }
  }

  /// A proxy whose tunnels all lead to `port`, whatever host is asked for.
  static func tunnel(to port: UInt16) -> RawServer? {
    RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 Connected\r\nX-Proxy: 1\r\n\r\n")
      connection.tunnel(to: port)
    }
  }
}
