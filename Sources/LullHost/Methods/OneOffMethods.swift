import CLullBridge
import LullCore

extension Method {
  /// Requests of a URL for which no service is defined. (ONE)
  static let oneOffMethods: [Method] = [
    .function("get", "vT") { call throws(Misuse) in try call.sendOneOff(.get, to: 0) },
    .function("post", "vT") { call throws(Misuse) in try call.sendOneOff(.post, to: 0) },
    .function("put", "vT") { call throws(Misuse) in try call.sendOneOff(.put, to: 0) },
    .function("patch", "vT") { call throws(Misuse) in try call.sendOneOff(.patch, to: 0) },
    .function("delete", "vT") { call throws(Misuse) in try call.sendOneOff(.delete, to: 0) },
    .function("head", "vT") { call throws(Misuse) in try call.sendOneOff(.head, to: 0) },
    .function("options", "vT") { call throws(Misuse) in try call.sendOneOff(.options, to: 0) },
    .function("request", "svT") { call throws(Misuse) in
      guard let method = RequestMethod(rawValue: call.string(0)) else {
        let given = LogText.part(call.string(0), limit: 80)
        throw .argument(1, "'\(given)' is not an HTTP method; it comes before the URL")
      }
      try call.sendOneOff(method, to: 1)
    },
  ]
}

extension Call {
  /// Sends a request to the URL at that position, with the options behind it, by a service that is made
  /// for it: credentials are bound to the URL's origin. (ONE-01 to ONE-09)
  fileprivate func sendOneOff(_ method: RequestMethod, to position: Int) throws(Misuse) {
    let url = try typedURL(position)
    let origin = ResourceURL(absolute: url)?.origin ?? ""
    let service = Service(
      baseURL: origin.isEmpty ? nil : origin, networking: environment.defaultNetworking(),
      pump: pump)
    var resource = service.resource(absoluteURL: url)
    var options: OneOffOptions?
    if !isNil(position + 1) {
      let given = try OneOffOptions(self, table: index(position + 1), service: service)
      resource = given.asked(resource)
      given.configure(service, from: place)
      options = given
    }
    switch options?.body {
    case .failure(let failure)?:
      self.return(values.of(resource.failedBeforeSending(failure.cause, method: method)))
    case .success(let body)?:
      self.return(values.of(resource.request(method, body: body, adHoc: options?.edit)))
    case nil:
      self.return(values.of(resource.request(method, body: nil, adHoc: options?.edit)))
    }
  }

  /// A URL as people write it: what cannot stand in one is escaped. (ONE-02, ONE-03)
  private func typedURL(_ position: Int) throws(Misuse) -> String {
    let value = raw(position)
    guard value.kind == Int32(LULL_STRING), let text = value.urlText else {
      let hint =
        switch Int(value.kind) {
        case Int(LULL_TABLE): "; options come behind the URL"
        case Int(LULL_OBJECT): "; a resource has methods of these names"
        default: ""
        }
      throw .argument(position + 1, "URL expected, got \(value.typeName)\(hint)")
    }
    return ResourceURL.escaping(typed: text)
  }
}
