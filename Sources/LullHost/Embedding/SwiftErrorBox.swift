/// An error of Swift's as Lua holds it: what a closure threw, on its way through Lua code.
final class SwiftErrorBox {
  let error: any Error
  /// The line of Lua code that called the closure, with a colon and a space behind it; "" for none.
  private let place: String

  init(_ error: any Error, place: String) {
    self.error = error
    self.place = place
  }

  /// Without the place.
  var message: String { String(describing: error) }

  /// As Lua puts it: the place in front.
  var text: String { place + message }

  var typeName: String { String(describing: type(of: error)) }
}
