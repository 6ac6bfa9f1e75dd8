public import LullCore

extension Lua.Value: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { self }
  public static func from(lua value: Lua.Value) throws(LuaError) -> Lua.Value { value }
}

extension Lua.Table: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { .table(self) }

  public static func from(lua value: Lua.Value) throws(LuaError) -> Self {
    guard case .table(let table as Self) = value else { throw .expected("a table", value) }
    return table
  }
}

extension Lua.Function: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { .function(self) }

  public static func from(lua value: Lua.Value) throws(LuaError) -> Self {
    guard case .function(let function as Self) = value else {
      throw .expected("a function", value)
    }
    return function
  }
}

/// A service is shared by reference: Lua and Swift use the same object.
extension Service: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { .service(self) }

  public static func from(lua value: Lua.Value) throws(LuaError) -> Self {
    guard case .service(let service as Self) = value else { throw .expected("a Service", value) }
    return service
  }
}

/// A resource is shared by reference: Lua and Swift use the same object.
extension Resource: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { .resource(self) }

  public static func from(lua value: Lua.Value) throws(LuaError) -> Self {
    guard case .resource(let resource as Self) = value else {
      throw .expected("a Resource", value)
    }
    return resource
  }
}

/// A request is shared by reference: Lua and Swift use the same object.
extension Request: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { .request(self) }

  public static func from(lua value: Lua.Value) throws(LuaError) -> Self {
    guard case .request(let request as Self) = value else { throw .expected("a Request", value) }
    return request
  }
}

/// An entity is copied between Lua and Swift, because it is a value in Swift.
extension Entity: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { .entity(self) }

  public static func from(lua value: Lua.Value) throws(LuaError) -> Entity {
    guard case .entity(let entity) = value else { throw .expected("an Entity", value) }
    return entity
  }
}

/// A request error is copied between Lua and Swift, because it is a value in Swift.
extension RequestError: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { .error(self) }

  public static func from(lua value: Lua.Value) throws(LuaError) -> RequestError {
    guard case .error(let error) = value else { throw .expected("a RequestError", value) }
    return error
  }
}
