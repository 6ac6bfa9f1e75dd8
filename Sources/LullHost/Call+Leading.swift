import CLullBridge
import LullCore

extension Call {
  /// The resource at the path that is the first argument, whatever bytes that has.
  func resource(below service: Service) -> Resource {
    noteQuery(inPath: raw(1))
    return raw(1).withBytes { service.resource(pathBytes: $0) } ?? service.resource("")
  }

  /// Warns of a path with what looks like a query behind it, which is escaped as part of it: a server
  /// finds nothing there. (SVC-11, SVC-42)
  func noteQuery(inPath path: lull_value) {
    guard let pair = path.withBytes({ PathQuery.first(in: $0) }) ?? nil, let place else { return }
    let text =
      "'?' is a part of the path here, and sent as %3F: for a query write "
      + ":with_param(\"\(pair.name)\", \"\(pair.value)\")"
    if let checker = permissions.checker {
      checker.note(text, at: place)
    } else {
      reporter.warnings.warn(text, at: place)
    }
  }

  /// Returns a resource that a script has found its way to. One who checks a file hears of a way that
  /// leads out of the base URL.
  func lead(to resource: Resource) {
    if let checker = permissions.checker, let place, let base = resource.service.baseURL,
      resource.url.climbs(above: base)
    {
      checker.note(
        "\(LogText.url(resource.url.text)) leads above the base URL \(LogText.url(base.text)): its "
          + "dot segments are sent as they are, and the server resolves them", at: place)
    }
    `return`(values.of(resource))
  }
}
