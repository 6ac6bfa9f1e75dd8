import LullLibC

/// The variables of the environment that name proxies, as curl reads them: at every request, unless it is
/// told that there are none.
enum ProxyVariables {
  /// Not HTTP_PROXY, which a gateway makes of a request's header.
  private static let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

  /// Whether one of them says anything now.
  static var isAnySet: Bool {
    names.contains { name in getenv(name).map { $0.pointee != 0 } ?? false }
  }
}
