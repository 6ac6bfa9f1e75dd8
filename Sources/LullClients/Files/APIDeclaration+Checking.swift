import LullCore
import LullHost
import LullLuaSource

/// Reports mistakes that do not prevent a file from working, when it is checked.
extension APIDeclaration {
  func inspect(_ call: APICall, of service: Service, at: [String]) {
    guard let checker else { return }
    func note(_ keys: [String], _ text: String) {
      checker.note(
        "call '\(call.name)': \(text)",
        at: SourcePlace(file: path, line: places.line(of: at + keys)))
    }
    if let text = APIDeclaration.objection(toPath: call.path, base: service.baseURL) {
      note(["path"], text)
    }
    if !call.hasBody {
      if call.bodyForm != .json {
        note(["body"], "'body' does nothing: a \(call.method) has none")
      }
      if call.contentType != nil {
        note(["content_type"], "'content_type' does nothing: a \(call.method) has no body")
      }
    }
    for (name, value) in WrittenSecrets.queryCredentials(in: call.path) {
      checker.inspect(
        credential: value, "the value of the parameter '\(name)' of the query")
    }
    let taken = checker.options(of: call)
    for (parameter, option) in zip(call.parameters, call.options(beside: taken)) {
      if taken.contains(parameter.option) {
        note(
          ["params", parameter.name],
          "parameter '\(parameter.name)' is called like the option \(parameter.option) of "
            + "'lull call', where it has to be given as \(option); give it another name there, as "
            + "by { option = \"--\(call.name)-\(parameter.option.dropFirst(2))\" }")
      }
      if case .string(let text)? = parameter.standard,
        WrittenSecrets.isCredential(parameter.name, text)
      {
        checker.inspect(
          credential: text, "the value of the parameter '\(parameter.name)'")
      }
    }
  }

  /// Returns why a path does not lead to the service; nil if it does.
  static func objection(toPath path: String, base: ResourceURL?) -> String? {
    let target = String(path.prefix { !"?#{".contains($0) })
    let advice = "; another host needs a service, and an API file, of its own"
    guard let base else {
      return CallPath(path).isAbsolute
        ? nil : "its service has no base URL for its path to be below"
    }
    let shownBase = LogText.url(base.text)
    if path.contains("#") {
      return "its path has a '#': what follows it is not sent; a # that is meant as such is "
        + "written %23"
    }
    if let part = target.split(separator: "/").first(where: { ResourceURL.isParent($0) }) {
      return "its path has the part '\(part)', which is sent as it is: to the server it leads out "
        + "of \(shownBase), or to nothing"
    }
    if target.hasPrefix("//") {
      return "its path begins with two slashes: it stays on \(shownBase), and a path begins with "
        + "one" + advice
    }
    guard let mark = target.firstRange(of: "://"),
      target[..<mark.lowerBound].allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) })
    else { return nil }
    let authority = target[mark.upperBound...].prefix { $0 != "/" }
    let origin = ResourceURL(absolute: target[..<mark.upperBound] + authority + "/")?.origin
    guard origin != base.origin else { return nil }
    return "its path leads to \(origin.map { "\($0), " } ?? "")another host than \(shownBase)"
      + ": a call takes a path below the base URL of its service" + advice
  }
}
