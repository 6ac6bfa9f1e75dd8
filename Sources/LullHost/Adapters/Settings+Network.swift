import CLullBridge
import LullCore

/// Settings that say what requests ask of the network.
extension Setting {
  func networkValue(in settings: Configuration) -> LuaValue? {
    let options = settings.options ?? TransferOptions()
    let connection = options.connection
    switch self {
    case .caFile: return connection.certificateAuthorities.map { .string($0) }
    case .insecure: return .bool(!connection.verifiesServer)
    case .clientCert: return connection.clientCertificate.map { .string($0) }
    case .clientKey: return connection.clientKey.map { .string($0) }
    case .proxy:
      switch connection.proxy {
      case .environment: return nil
      case .none: return .bool(false)
      // What is read may be printed: user and password stay here.
      case .url(let url): return .string(LogText.url(url))
      }
    case .noProxy: return connection.hostsWithoutProxy.map { .string($0) }
    case .resolve:
      guard !connection.addresses.isEmpty else { return nil }
      return .map(
        connection.addresses.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
    case .httpVersion: return connection.httpVersion.map { .string($0.rawValue) }
    case .firstByteTimeout: return options.firstByteTimeout.map { .number($0) }
    case .idleTimeout: return options.idleTimeout.map { .number($0) }
    case .redirects:
      switch options.redirects {
      case .follow(let limit): return .int(Int64(limit))
      case .followWithinOrigin: return .string("same_origin")
      case .answer: return .bool(false)
      }
    case .cookies:
      return options.cookies.map { $0.file.map { .string($0) } ?? .bool(true) } ?? .bool(false)
    case .recordTimings: return .bool(options.recordsTimings)
    default: return nil
    }
  }

  func networkChange(_ call: Call, _ value: lull_value, _ index: Int32, service: Service)
    throws(Misuse) -> (inout Configuration) -> Void
  {
    switch self {
    case .caFile: return change(\.connection.certificateAuthorities, to: try file(value, call.host))
    case .insecure: return change(\.connection.verifiesServer, to: try !flag(value))
    case .clientCert: return change(\.connection.clientCertificate, to: try file(value, call.host))
    case .clientKey: return change(\.connection.clientKey, to: try file(value, call.host))
    case .proxy: return change(\.connection.proxy, to: try proxy(value))
    case .noProxy:
      return change(\.connection.hostsWithoutProxy, to: try hosts(call, value, index))
    case .resolve: return change(\.connection.addresses, to: try addresses(call, value, index))
    case .httpVersion: return change(\.connection.httpVersion, to: try httpVersion(value))
    case .firstByteTimeout: return change(\.firstByteTimeout, to: try wait(value))
    case .idleTimeout: return change(\.idleTimeout, to: try wait(value))
    case .redirects: return change(\.redirects, to: try redirects(value))
    case .cookies: return change(\.cookies, to: try cookies(value, call.host, service))
    case .recordTimings: return change(\.recordsTimings, to: try flag(value))
    default: return { _ in }
    }
  }

  private func change<Value>(
    _ field: WritableKeyPath<TransferOptions.Fields, Value>, to value: Value
  ) -> (inout Configuration) -> Void {
    { $0.setOptions { $0[dynamicMember: field] = value } }
  }

  // MARK: Reading

  private func flag(_ value: lull_value) throws(Misuse) -> Bool {
    guard let flag = value.bool else { throw mustBe("true or false", value) }
    return flag
  }

  /// The name of a file; nil for false, which takes an earlier one away.
  private func file(_ value: lull_value, _ host: LuaHost) throws(Misuse) -> String? {
    if value.bool == false { return nil }
    guard let path = value.string, !path.isEmpty, !path.utf8.contains(0) else {
      throw mustBe("the name of a file, or false", value)
    }
    // It is opened when something is sent.
    if !host.permissions.isInspecting {
      try host.permissions.refuseInSandbox("a file of the network settings")
    }
    return path
  }

  /// Seconds; nil for false.
  private func wait(_ value: lull_value) throws(Misuse) -> Double? {
    if value.bool == false { return nil }
    guard let seconds = value.double, seconds > 0 else {
      throw mustBe("a number of seconds above 0, or false", value)
    }
    return seconds.isFinite ? seconds : nil
  }

  private func proxy(_ value: lull_value) throws(Misuse) -> ProxyRule {
    if value.bool == false { return .none }
    guard let url = value.string, !url.utf8.contains(0), ProxyAddress(url) != nil else {
      let schemes = ProxyAddress.schemes.joined(separator: ", ")
      // The value may hold a password.
      throw .message(
        "'proxy' must be false or a URL such as \"http://host:3128\" (\(schemes)), got "
          + (value.string == nil ? value.described : "another string"))
    }
    return .url(url)
  }

  /// A string, or a list of strings.
  private func hosts(_ call: Call, _ value: lull_value, _ index: Int32) throws(Misuse) -> String? {
    if value.bool == false { return nil }
    let expectation = "a string such as \"localhost,.example.com\", a list of strings, or false"
    if let text = value.string, !text.utf8.contains(0) { return text }
    guard value.kind == Int32(LULL_TABLE) else { throw mustBe(expectation, value) }
    var hosts: [(position: Int64, name: String)] = []
    try LuaTable(index, in: call.state).forEachField { key, element throws(Misuse) in
      guard key.kind == Int32(LULL_INTEGER), let name = element.string,
        !name.utf8.contains(0)
      else { throw mustBe(expectation, element) }
      try element.requireText("a string of '\(rawValue)'")
      hosts.append((key.integer, name))
    }
    return hosts.sorted { $0.position < $1.position }.map(\.name).joined(separator: ",")
  }

  private func addresses(_ call: Call, _ value: lull_value, _ index: Int32) throws(Misuse)
    -> [String: String]
  {
    let expectation = "a table such as { [\"api.example.com:443\"] = \"127.0.0.1\" }"
    if value.bool == false { return [:] }
    guard value.kind == Int32(LULL_TABLE) else { throw mustBe(expectation, value) }
    var addresses: [String: String] = [:]
    try LuaTable(index, in: call.state).forEachField { key, element throws(Misuse) in
      guard let name = key.string, HostAndPort(name)?.port != nil else {
        throw .message(
          "'resolve' must be \(expectation), got the key \(key.described), which is no "
            + "host:port")
      }
      guard let address = element.string, HostAndPort(address) != nil else {
        throw .message(
          "'resolve' must be \(expectation), got \(element.described) for '\(name)'")
      }
      addresses[name] = address
    }
    return addresses
  }

  private func httpVersion(_ value: lull_value) throws(Misuse) -> HTTPVersion? {
    if value.bool == false { return nil }
    guard let version = value.string.flatMap({ HTTPVersion(rawValue: $0) }) else {
      throw mustBe("\"1.1\", \"2\", \"3\" or false", value)
    }
    return version
  }

  private func redirects(_ value: lull_value) throws(Misuse) -> RedirectRule {
    if value.bool == false { return .answer }
    if value.string == "same_origin" { return .followWithinOrigin }
    guard let limit = value.wholeNumber, value.double == Double(limit),
      (0...100).contains(limit)
    else { throw mustBe("a whole number from 0 to 100, false, or \"same_origin\"", value) }
    return .follow(atMost: limit)
  }

  private func cookies(_ value: lull_value, _ host: LuaHost, _ service: Service) throws(Misuse)
    -> CookieJar?
  {
    if let flag = value.bool { return flag ? service.cookieJar : nil }
    guard let path = value.string, !path.isEmpty, !path.utf8.contains(0) else {
      throw mustBe("true, false, or the name of a file", value)
    }
    if !host.permissions.isInspecting { try host.permissions.refuseInSandbox("a file of cookies") }
    return CookieJar(file: path)
  }
}
