import LullHost

/// One call as Lua holds it.
final class APICallBox {
  let call: APICall
  let api: APIFile

  init(_ call: APICall, of api: APIFile) {
    self.call = call
    self.api = api
  }
}
