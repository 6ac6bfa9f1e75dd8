import LullHost

/// The calls of an API as Lua holds them.
final class APICallsBox: FieldNaming {
  let api: APIFile

  var fieldNames: [String] { api.callNames }

  init(_ api: APIFile) { self.api = api }
}
