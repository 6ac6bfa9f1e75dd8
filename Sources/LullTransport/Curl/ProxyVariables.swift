import LullCore
import LullLibC

/// The variables of the environment that name proxies, as curl reads them: at every request, unless it is
/// told that there are none.
enum ProxyVariables {
  /// Not HTTP_PROXY, which a gateway makes of a request's header.
  private static let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

  /// Whether one of them says anything now.
  static var isAnySet: Bool {
    names.contains { value(of: $0) != nil }
  }

  /// Whether one of them names hosts that are asked directly.
  static var hasExceptions: Bool { value(of: "no_proxy") != nil || value(of: "NO_PROXY") != nil }

  /// The proxy that is named for this server; nil if none is, or in no form that Lull reads.
  static func address(for origin: Origin) -> ProxyAddress? {
    let own = origin.isTLS ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    for name in own + ["all_proxy", "ALL_PROXY"] {
      guard let url = value(of: name) else { continue }
      return ProxyAddress(url.contains("://") ? url : "http://" + url)
    }
    return nil
  }

  /// nil if it is empty: it counts as not set.
  private static func value(of name: String) -> String? {
    // Copied at once; the environment is changed by nobody in this process.
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
