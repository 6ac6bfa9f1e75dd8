import LullHost

/// The calls of an API as Lua holds them.
final class APICallsBox: FieldNaming {
  let api: APIFile

  var fieldNames: [String] { api.calls.map(\.name) }

  init(_ api: APIFile) { self.api = api }
}
