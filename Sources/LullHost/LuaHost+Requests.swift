import CLullBridge
import LullCore

extension LuaHost {
  /// `cancel_load_if_unobserved([delay [, callback]])` (CAN-01 to CAN-10)
  func cancelLoadIfUnobserved(_ call: Call) throws(Misuse) {
    let resource = try call.resource
    guard let delay = call.number(1) else { return resource.cancelLoadIfUnobserved() }
    guard delay >= 0, delay.isFinite else {
      throw .argument(
        1, "a number of seconds, 0 or more, expected, got \(call.raw(1).described)")
    }
    // Its userdata holds the service's, and with it every function of the configuration.
    let userdata = try kept.keep(call.state, call.index(0))
    let callback = call.isNil(2) ? nil : try kept.keep(call.state, call.index(2))
    guard kept.pin(userdata) else { throw .message("not enough memory") }
    if let callback, !kept.pin(callback) {
      kept.unpin(userdata)
      throw .message("not enough memory")
    }
    // The timer is work that somebody asked for: it keeps the script alive.
    loop.timerBegan()
    resource.cancelLoadIfUnobserved(afterDelay: delay) { [unowned self] in
      loop.timerEnded()
      defer { kept.unpin(userdata) }
      guard let callback else { return }
      let context = RunContext(purpose: "cancel_load_if_unobserved callback") {
        [unowned self] outcome in
        if case .failed(let failure) = outcome {
          report(failure, in: "cancel_load_if_unobserved callback")
        }
      }
      coroutines.start(Callable(id: callback), [], context)
      kept.unpin(callback)
    }
  }
}

extension Call {
  static let bodyKeys = ["json", "form", "text", "data", "content_type", "encoding"]

  /// Sends a request with the body table and the mutation function at those positions.
  func sendRequest(_ method: String, body: Int, mutation: Int) throws(Misuse) {
    let resource = try resource
    let parsed = isNil(body) ? nil : try requestBody(index(body))
    var adHoc: RequestMutation?
    var anchors: [Int64] = []
    if !isNil(mutation) {
      // Kept with the request, which may be repeated; before it exists, by the caller's stack.
      let id = try host.kept.keep(state, index(mutation))
      anchors = [id]
      adHoc = host.mutation { id }
    }
    let request: Request
    switch parsed {
    case .failure(let failure)?:
      request = resource.failedBeforeSending(failure.cause, method: method)
    case .success(let body)?:
      request = resource.request(method, body: body, mutation: adHoc, scriptAnchors: anchors)
    case nil:
      request = resource.request(method, body: nil, mutation: adHoc, scriptAnchors: anchors)
    }
    self.return(host.values.of(request))
  }

  /// `{ json = v }`, `{ form = {…} }`, `{ text = s, encoding = }` or `{ data = s, content_type = }`.
  private func requestBody(_ table: Int32) throws(Misuse)
    -> Result<RequestBody, RequestBodyFailure>
  {
    var kind: String?
    var body: Result<RequestBody, RequestBodyFailure>?
    var contentType: String?
    var encoding: String?
    try host.forEachOption(of: table, in: state, known: Call.bodyKeys) {
      name, value throws(Misuse) in
      switch name {
      case "content_type": contentType = try host.headerValue(ofOption: value, name)
      case "encoding": encoding = try host.contentType(ofOption: value, name)
      default:
        if let kind { throw .message("a body is either '\(kind)' or '\(name)', not both") }
        kind = name
        body = try requestBody(name, value, LuaTable.visitedIndex(in: state))
      }
    }
    guard let body else {
      throw .message("a body needs one of 'json', 'form', 'text', 'data'")
    }
    if encoding != nil, kind != "text" { throw .message("'encoding' is for 'text' bodies") }
    return body.map { body in
      switch body {
      case .json(let bytes, let type): .json(bytes, contentType: contentType ?? type)
      case .text(let text, let type, let name):
        .text(text, contentType: contentType ?? type, encoding: encoding ?? name)
      case .data(let bytes, let type): .data(bytes, contentType: contentType ?? type)
      case .secret(let body): .secret(body.typed(contentType))
      case .form: body
      }
    }
  }

  private func requestBody(_ name: String, _ value: lull_value, _ index: Int32) throws(Misuse)
    -> Result<RequestBody, RequestBodyFailure>
  {
    switch name {
    case "json":
      switch host.encodeJSONBody(state, index) {
      case .success(let body): return .success(body)
      case .failure(let problem):
        return .failure(RequestBodyFailure(cause: .invalidJSONObject(path: problem.text)))
      }
    case "form": return try formBody(value, index)
    default:
      guard let bytes = value.bytes else {
        throw .message("'\(name)' must be a string, got \(value.typeName)")
      }
      if name == "data" { return .success(.data(bytes, contentType: "application/octet-stream")) }
      guard value.isValidUTF8 else {
        return .failure(
          RequestBodyFailure(
            cause: .unencodableText(encoding: "utf-8", text: ByteString(bytes))))
      }
      return .success(.text(value.string ?? ""))
    }
  }

  private func formBody(_ value: lull_value, _ index: Int32) throws(Misuse)
    -> Result<RequestBody, RequestBodyFailure>
  {
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("'form' must be a table, got \(value.typeName)")
    }
    var pairs: [(name: String, value: SecretText)] = []
    var hasSecrets = false
    var failure: RequestBodyFailure?
    try LuaTable(index, in: state).forEachField { key, element throws(Misuse) in
      guard let name = key.text else {
        throw .message("form names must be strings, got \(key.typeName)")
      }
      for part in [key, element]
      where part.kind == Int32(LULL_STRING) && !part.isValidUTF8 {
        failure = RequestBodyFailure(
          cause: .notURLEncodable(string: ByteString(part.bytes ?? [])))
      }
      if let secret = host.secret(element) {
        hasSecrets = true
        return pairs.append((name, secret))
      }
      guard let text = element.text ?? element.bool.map({ "\($0)" }) else {
        throw .message(
          "form value '\(name)' must be a string, number, boolean or secret, got "
            + element.typeName)
      }
      pairs.append((name, SecretText(text)))
    }
    if let failure { return .failure(failure) }
    if hasSecrets { return .success(.form(secrets: pairs)) }
    return .success(.form(pairs.map { (name: $0.name, value: $0.value.masked) }))
  }
}
