import LullCore

extension DifferenceReport {
  /// The complete report for programs.
  var json: JSONValue {
    .object([.init("files", .array(files.map(DifferenceReport.json)))])
  }

  private static func json(of file: File) -> JSONValue {
    let difference = file.difference
    return .object([
      .init("before", .string(file.before)), .init("after", .string(file.after)),
      .init("change", text(difference.change?.rawValue)),
      .init("settings", .array(difference.settings.map(json))),
      .init("calls", .array(difference.calls.map(json))),
      .init(
        "environments",
        .array(
          difference.environments.map { name, isAdded in
            .object([
              .init("name", .string(name)), .init("change", .string(isAdded ? "added" : "removed")),
            ])
          })),
    ])
  }

  private static func json(of use: APIDifference.Use) -> JSONValue {
    .object([
      .init("name", .string(use.change.name)), .init("before", json(use.change.before)),
      .init("after", json(use.change.after)),
      .init("environments", .array(use.environments.map(text))),
      .init("count", .int(use.targets.count)),
      .init("urls", .array(use.targets.map { .string($0) })),
    ])
  }

  private static func json(_ side: APIDifference.Side?) -> JSONValue {
    guard let side else { return .null }
    return .object([.init("value", .string(side.value)), .init("place", text(side.place))])
  }

  private static func json(of call: APIDifference.CallChange) -> JSONValue {
    let change = call.before == nil ? "added" : call.after == nil ? "removed" : "changed"
    return .object([
      .init("name", .string(call.name)), .init("environment", text(call.environment)),
      .init("change", .string(change)),
      .init("before", json(call.before)), .init("after", json(call.after)),
      .init(
        "changes",
        .array(
          call.details.map { detail in
            .object([
              .init("what", .string(detail.what)), .init("before", text(detail.before)),
              .init("after", text(detail.after)),
            ])
          })),
    ])
  }

  private static func json(_ call: APISnapshot.Call?) -> JSONValue {
    guard let call else { return .null }
    return .object([
      .init("method", .string(call.method.rawValue)), .init("path", .string(call.path)),
      .init("place", .string(call.place)),
    ])
  }

  private static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
