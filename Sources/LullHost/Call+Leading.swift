import CLullBridge
package import LullCore

extension Call {
  /// The resource at the path that is the first argument, whatever bytes that has.
  package func resource(below service: Service) -> Resource {
    noteQuery(inPath: raw(1))
    return raw(1).withBytes { service.resource(pathBytes: $0) } ?? service.resource("")
  }

  /// The resource of a service that a text names: a URL with scheme and host, or else a path below the base
  /// URL. (CFG-120)
  func resource(called position: Int, of service: Service) -> Resource {
    if let text = raw(position).urlText, let url = ResourceURL(absolute: text), !url.host.isEmpty {
      return service.resource(absoluteURL: text)
    }
    noteQuery(inPath: raw(position))
    return raw(position).withBytes { service.resource(pathBytes: $0) } ?? service.resource("")
  }

  /// A link that content may lack: nil for nil and JSON's null. (PATH-19)
  func optionalLink(_ position: Int) throws(Misuse) -> lull_value? {
    let value = raw(position)
    switch Int(value.kind) {
    case Int(LULL_NIL), Int(LULL_NULL): return nil
    case Int(LULL_STRING): return value
    default: throw .argument(position, "string expected, got \(value.typeName)")
    }
  }

  /// Warns of a path with what looks like a query behind it, which is escaped as part of it: a server
  /// finds nothing there. (SVC-11, SVC-42)
  func noteQuery(inPath path: lull_value) {
    noteFloat(inPath: path)
    guard let pair = path.withBytes({ PathQuery.first(in: $0) }) ?? nil, let place else { return }
    warn(
      "'?' is a part of the path here, and sent as %3F: for a query write "
        + ":with_param(\"\(pair.name)\", \"\(pair.value)\")", at: place)
  }

  private func warn(_ text: String, at place: SourcePlace) {
    if let checker = permissions.checker {
      checker.note(text, at: place)
    } else {
      reporter.warnings.warn(text, at: place)
    }
  }

  /// Warns of a path that ends in a float which the line has calculated: `"/users/" .. 10/2` is
  /// `/users/5.0`. (SVC-150)
  private func noteFloat(inPath path: lull_value) {
    guard let number = path.withBytes({ Call.floatAtEnd(of: $0) }) ?? nil, let place,
      let source = sources.source(named: place.file), let text = sources.text(of: source),
      place.line > 0
    else { return }
    let lines = text.split(
      separator: 10, maxSplits: place.line, omittingEmptySubsequences: false)
    guard place.line <= lines.count,
      LineToken.all(in: lines[place.line - 1]).contains(where: { $0.isSymbol("/") })
    else { return }
    warn(
      "the path ends in \(number).0, since / gives a float: // or math.tointeger gives "
        + "\(number)", at: place)
  }

  /// The digits before `.0` where that is all of the last segment.
  private static func floatAtEnd(of path: UnsafeBufferPointer<UInt8>) -> String? {
    guard path.count > 3, path.suffix(2).elementsEqual(".0".utf8) else { return nil }
    let segment =
      path.dropLast(2).split(
        separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
      ).last ?? path[..<0]
    guard !segment.isEmpty, segment.count < 16, segment.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return String(decoding: segment, as: UTF8.self)
  }

  /// Returns a resource that a script has found its way to. One who checks a file hears of a way that
  /// leads out of the base URL.
  package func lead(to resource: Resource) {
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
