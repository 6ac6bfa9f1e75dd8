import LullCore

extension Call {
  /// The resource at the path that is the first argument, whatever bytes that has.
  func resource(below service: Service) -> Resource {
    raw(1).withBytes { service.resource(pathBytes: $0) } ?? service.resource("")
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
