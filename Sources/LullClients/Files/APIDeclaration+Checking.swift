import LullCore
import LullHost
import LullLuaSource

/// Reports mistakes that do not prevent an API file from working. Used when the file is checked.
extension APIDeclaration {
  func inspect(_ call: APICall, of service: Service, at: [String]) {
    guard let checker else { return }
    func note(_ keys: [String], _ text: String, isFinding: Bool = true) {
      checker.note(
        "call '\(call.name)': \(text)",
        at: SourcePlace(file: path, line: places.line(of: at + keys)), isFinding: isFinding)
    }
    if let text = APIDeclaration.objection(toPath: call.path, base: service.baseURL) {
      note(["path"], text)
    }
    if !call.hasBody {
      if call.bodyForm != .json {
        note(["body"], "'body' has no effect: a \(call.method) has no body")
      }
      if call.contentType != nil {
        note(["content_type"], "'content_type' has no effect: a \(call.method) has no body")
      }
    }
    if call.method == .query, call.graphQL == nil, call.bodyForm != .raw, !call.requiresBody,
      !call.parameters.contains(where: { $0.place == .body })
    {
      note(
        ["method"],
        "no parameter is sent in the body, so the query always has the same content; use GET, or "
          + "set 'body_required' if that is intended", isFinding: false)
    }
    for (name, value) in WrittenSecrets.queryCredentials(in: call.path) {
      checker.inspect(
        credential: value, "the value of the query parameter '\(name)'")
    }
    if let graphQL = call.graphQL { inspect(graphQL, of: call, at: at, checker) }
    let taken = checker.options(of: call)
    for (parameter, option) in zip(call.parameters, call.options(beside: taken)) {
      if taken.contains(parameter.option) {
        note(
          ["params", parameter.name],
          "parameter '\(parameter.name)' has the name of the option \(parameter.option) of "
            + "'lull call', so it is \(option) there; choose another name, such as "
            + "{ option = \"--\(call.name)-\(parameter.option.dropFirst(2))\" }")
      }
      if case .string(let text)? = parameter.standard,
        WrittenSecrets.isCredential(parameter.name, text)
      {
        checker.inspect(
          credential: text, "the value of the parameter '\(parameter.name)'")
      }
    }
  }

  /// Returns why a path does not lead to the service. nil if the path leads to the service.
  static func objection(toPath path: String, base: ResourceURL?) -> String? {
    let target = String(path.prefix { !"?#{".contains($0) })
    let advice = "; another host needs its own service in another API file"
    guard let base else {
      return CallPath(path).isAbsolute
        ? nil : "its path is relative, but its service has no base URL"
    }
    let shownBase = LogText.url(base.text)
    if path.contains("#") {
      return "its path has a '#': the text after it is not sent; write a literal # as %23"
    }
    if let part = target.split(separator: "/").first(where: { ResourceURL.isParent($0) }) {
      return "its path has the segment '\(part)', which is sent unchanged: on the server it leads "
        + "outside \(shownBase), or to nothing"
    }
    if target.hasPrefix("//") {
      return "its path begins with two slashes, but is relative to \(shownBase): begin it with one"
        + advice
    }
    guard let mark = target.firstRange(of: "://"),
      target[..<mark.lowerBound].allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) })
    else { return nil }
    let authority = target[mark.upperBound...].prefix { $0 != "/" }
    let origin = ResourceURL(absolute: target[..<mark.upperBound] + authority + "/")?.origin
    guard origin != base.origin else { return nil }
    return "its path leads to \(origin.map { "\($0), " } ?? "")another host than \(shownBase)"
      + ": the path of a call must be below the base URL of its service" + advice
  }
}
