import CLullBridge

extension RuntimeCore {
  /// A function of Swift's as one that is in Lua.
  func makeFunction(_ function: SwiftFunction) throws(LuaError) -> Lua.Function {
    guard home != nil || !function.waits else {
      throw LuaError(
        .misuse, "a runtime made with a pump has no asynchronous functions: make it on a Home")
    }
    try requireOpen()
    let handle = host.handles.insert(function, kind: .swiftFunction)
    let value = LuaValue.method(index: SwiftFunctions.method, handle: handle, service: 0)
    return try ask(helpers().same, [value]) { results throws(LuaError) in
      try .first(of: [self.read(at: results.index(0), in: results.state)])
    }
  }
}
