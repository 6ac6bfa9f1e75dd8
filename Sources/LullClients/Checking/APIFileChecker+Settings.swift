import LullCore
import LullHost
import LullLuaSource

extension APIFileChecker {
  /// A credential that a file passes as plain text.
  struct Credential {
    var text: String
    /// The description of the credential for messages.
    var what: String
  }

  /// Runs all settings functions in order, whatever their patterns, and records their errors.
  /// Errors in functions that serve as patterns are found through the resources of calls.
  func inspectSettings(of api: APIFile, _ calls: [APICall]) {
    if let text = api.service.invalidBase {
      note(
        "the base URL '\(CredentialMask.malformedURL(text))' is not valid: it must begin with "
          + "https:// or http://",
        at: SourcePlace(file: path, line: line(of: ["base_url"])))
    }
    var settings = Configuration()
    for entry in api.service.configurationEntries {
      var changed = settings
      // The error has already been recorded.
      guard (try? entry.apply(&changed)) != nil else { continue }
      settings = changed
      inspect(headers: settings.headers)
    }
    for call in calls {
      inspect(headers: call.headers)
      guard let resource = call.sample(of: api.service) else { continue }
      for entry in api.service.configurationEntries {
        _ = try? entry.applies(to: resource.url, method: call.method)
      }
    }
  }

  private func line(of keys: [String]) -> Int {
    guard case .success(let bytes) = TextFile.read(Array(path.utf8)) else { return 0 }
    return DeclarationPlaces(bytes).line(of: keys)
  }

  /// Reports credentials in headers. A secret appears as its mask here, which is not reported.
  private func inspect(headers: RequestHeaders) {
    for (name, value) in headers.pairs
    where WrittenSecrets.isCredential(header: name, value) {
      inspect(credential: value, "the value of the header '\(name)'")
    }
  }
}

extension APICall {
  /// Returns a resource of the call with sample values in its path. nil if there are no valid
  /// samples.
  func sample(of service: Service) -> Resource? {
    var values: [String: CallValue] = [:]
    for parameter in parameters where parameter.place == .path {
      values[parameter.name] = parameter.standard ?? parameter.sample
    }
    return try? request(of: service, values).resource
  }
}

extension CallParameter {
  fileprivate var sample: CallValue {
    let one = integers.first.map { CallValue.integer($0) } ?? kind.sample
    return isList ? .list([one]) : one
  }
}

extension CallParameter.Kind {
  fileprivate var sample: CallValue {
    switch self {
    case .string, .json, .file: .string("x")
    case .number, .integer: .integer(1)
    case .boolean: .boolean(true)
    case .choice(let words): .string(words.first ?? "x")
    case .object: .object([.init("x", .string("x"))])
    }
  }
}
