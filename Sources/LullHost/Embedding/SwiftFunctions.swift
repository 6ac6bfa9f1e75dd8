import CLullBridge
import LullCore

/// Functions of Swift's that Lua code calls.
///
/// In Lua each is a function, bound to an object that holds the closure: when the collector finds the
/// function, the next sweep lets go of the closure. What a closure throws is an object too.
final class SwiftFunctions: HostExtension {
  static let unseen: [APIOwner] = [
    .unseen(
      .swiftFunction,
      hidden: [
        .hidden("call") { call throws(Misuse) in
          guard let core = call.part(SwiftFunctions.self).core else { return }
          try call.selfObject(.swiftFunction, as: SwiftFunction.self).run(call, core)
        }
      ]),
    .object(
      .swiftError, receiver: "error", "What a function of Swift's has thrown.",
      entries: [
        .property("message", "string", "What it says.") { call throws(Misuse) in
          call.return(.string(try error(call).message))
        },
        .property("type", "string", "The name of its type in Swift.") { call throws(Misuse) in
          call.return(.string(try error(call).typeName))
        },
      ],
      hidden: [
        .hidden("__tostring") { call throws(Misuse) in
          call.return(.string(try error(call).text))
        }
      ]),
  ]

  private static func error(_ call: Call) throws(Misuse) -> SwiftErrorBox {
    try call.selfObject(.swiftError, as: SwiftErrorBox.self)
  }

  static let functions: [APIEntry] = []
  static let types: [APIOwner] = []

  /// The number of the function that runs them.
  static let method = LuaLibrary.embedded.index(.swiftFunction, "call")

  weak var core: RuntimeCore?

  init(_ host: LuaHost) {}

  func close() { core = nil }
}

extension LuaLibrary {
  /// What embedded runtimes have.
  static let embedded = LuaLibrary([SwiftFunctions.self])
}
