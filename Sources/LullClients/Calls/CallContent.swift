package import LullCore
package import LullHost

/// Content as a command writes it.
package enum CallContent {
  case json(JSONElement)
  case text(String)
  case bytes([UInt8])

  /// Where nobody filters it.
  package init(
    _ content: Content, of service: Service, in host: LuaHost
  ) throws(ContentFilter.Problem) {
    self =
      switch content {
      case .json(let document): .json(document.root)
      case .text(let text): .text(text)
      case .bytes(let bytes): .bytes(bytes)
      case .value(let value): .text(String(describing: value))
      case .foreign:
        .json(try ContentFilter(host, nil).document(of: content, service: service).root)
      }
  }
}
