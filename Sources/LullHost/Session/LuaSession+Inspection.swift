import CLullBridge
import LullCore

/// Inspects values for completion. The inspection calls no script function or metamethod and loads
/// nothing. It reads only data that Lull objects already have.
extension LuaSession {
  /// The names that a line can use: session variables, globals, and `help`.
  package var variableNames: [String] {
    var names: Set<String> = []
    for part in Int32(0)..<3 where lull_session_variables(bridge.pointer, part) != 0 {
      names.formUnion(keys(onlyFunctions: false))
      lull_pop(state, 1)
    }
    return names.sorted()
  }

  /// Returns the field names of the table at a path, including the fields of tables from which it
  /// inherits. The value at the path must not be a Lull object. A path component that begins with
  /// `[` is the index of an element.
  package func fieldNames(
    of path: [String], onlyFunctions: Bool, namesOnly: Bool = true
  ) -> [String] {
    var names: Set<String> = []
    walk(path) { _, used in
      guard used == path.count else { return }
      _ = lull_session_open_document(bridge.pointer)
      // The number of steps is limited, because the chain of tables may be a cycle.
      for _ in 0..<50 {
        names.formUnion(keys(onlyFunctions: onlyFunctions, namesOnly: namesOnly))
        if lull_session_next_table(bridge.pointer) == 0 { break }
      }
    }
    return names.sorted()
  }

  /// The description of the API, for completion and help.
  package var description: APIDescription { bridge.library.description }

  /// Returns the possible values of the first argument of a module function, if they are a fixed
  /// set.
  ///
  /// - Parameter typed: the beginning of the argument.
  package func choices(for function: String, typed: String) -> [String] {
    bridge.library.choices(for: function, typed: typed)
  }

  /// Returns the documentation of the first Lull object on a path. `used` is the number of path
  /// components up to that object.
  package func object(at path: [String]) -> (owner: APIOwner, used: Int)? {
    walk(path) { value, used in
      guard value.kind == Int32(LULL_OBJECT),
        let owner = description.owners.first(where: { $0.handle?.rawValue == value.aux })
      else { return nil }
      return (owner, used)
    }
  }

  /// Returns the field names that the object at a path defines for itself. Returns nil if the
  /// object has only the field names of its kind.
  package func ownFieldNames(at path: [String]) -> [String]? {
    walk(path) { value, used in
      guard used == path.count else { return nil }
      return handles.fieldNaming(value)?.fieldNames
    }
  }

  /// Returns the names of the custom functions of the service at a path. (SVC-120)
  package func ownMethodNames(at path: [String]) -> [String] {
    walk(path) { value, used -> [String] in
      guard used == path.count,
        let service = handles.object(value, .service, as: Service.self)
      else { return [] }
      return service.hostFunctions.keys.sorted()
    } ?? []
  }

  /// Returns the object at a path if that object describes itself, otherwise nil.
  package func selfDescribing(at path: [String]) -> (any SelfDescribing)? {
    walk(path) { value, used in used == path.count ? handles.selfDescribing(value) : nil }
  }

  /// Returns whether the value at a path is not nil.
  package func isThere(_ path: [String]) -> Bool {
    walk(path) { value, used in used == path.count && value.kind != Int32(LULL_NIL) } ?? false
  }

  /// Returns the help for a name of the Lua API, or nil if the name is not known.
  package func help(named name: String) -> String? { HelpText(description).text(named: name) }

  /// Returns the message of `help` for a name that is not known.
  package func refusal(ofHelpFor name: String) -> String {
    FunctionLookup(bridge).unknown(name)
  }

  /// Returns the documentation of the Lull function at a path such as `lull.service`.
  package func function(at path: [String]) -> (owner: APIOwner, entry: APIEntry)? {
    walk(path) { value, used in
      guard used == path.count, value.kind == Int32(LULL_FUNCTION) else { return nil }
      return FunctionLookup(bridge).described(function: lull_stack_top(state), in: state)
    }
  }

  package func string(at path: [String]) -> String? {
    walk(path) { value, used in used == path.count ? value.string : nil }
  }

  // MARK: Modules

  /// The names of the modules that `require` has loaded. Names with dots are included.
  package var loadedModules: [String] {
    var names: [String] = []
    walk(["package", "loaded"]) { _, used in
      if used == 2 { names = keys(onlyFunctions: false, namesOnly: false) }
    }
    return names
  }

  /// Makes the next `require` of a module load the module again.
  package func forget(module: String) {
    lull_session_forget_module(bridge.pointer, module)
  }

  // MARK: Resources in memory

  /// Returns the paths of a service's resources in memory, in the form that
  /// `service:resource(path)` takes.
  package func resourcePaths(ofServiceAt path: [String]) -> [String] {
    walk(path) { value, used -> [String] in
      guard used == path.count, let service = handles.object(value, .service, as: Service.self)
      else {
        return []
      }
      return service.table.all.map { $0.url.abbreviated(base: service.baseURL) }
        .filter { $0.hasPrefix("/") && !$0.contains("?") }.sorted()
    } ?? []
  }

  /// Returns the paths of the resources in memory below a resource, in the form that
  /// `resource:child(path)` takes.
  package func childPaths(ofResourceAt path: [String]) -> [String] {
    walk(path) { value, used -> [String] in
      guard used == path.count,
        let resource = handles.object(value, .resource, as: Resource.self)
      else { return [] }
      let base = resource.url.text + (resource.url.text.hasSuffix("/") ? "" : "/")
      return resource.service.table.all.map(\.url.text)
        .filter { $0.hasPrefix(base) && $0.count > base.count && !$0.contains("?") }
        .map { String($0.dropFirst(base.count)) }.sorted()
    } ?? []
  }

  // MARK: Parts

  /// Returns whether a property of an object can be read without side effects. For example, reading
  /// the data of a resource without data would start a cache lookup.
  private func mayRead(_ name: String, of value: lull_value) -> Bool {
    if let naming = handles.fieldNaming(value) { return naming.fieldNames.contains(name) }
    guard let owner = description.owners.first(where: { $0.handle?.rawValue == value.aux }),
      owner.entries.contains(where: { $0.kind == .property && $0.name == name })
    else { return false }
    guard let resource = handles.object(value, .resource, as: Resource.self) else {
      return true
    }
    let asksForData =
      name == "latest_data"
      || APIOwner.resourceContent.contains { $0.name == name }
    return !asksForData || resource.record.state.latestData != nil
  }

  private var state: OpaquePointer? { lull_session_state(bridge.pointer) }

  @discardableResult
  private func walk<Result>(
    _ path: [String], _ body: (lull_value, Int) -> Result
  ) -> Result? {
    var value = lull_value()
    // The block contains the names as C strings. The position at which each string starts is known.
    var block: [CChar] = []
    for name in path {
      block += name.utf8.map { CChar(bitPattern: $0) }
      block.append(0)
    }
    var starts: [Int] = []
    var start = 0
    for name in path {
      starts.append(start)
      start += name.utf8.count + 1
    }
    let used = block.withUnsafeBufferPointer { block in
      let names = starts.map { start in block.baseAddress.map { $0 + start } }
      return lull_session_walk(bridge.pointer, names, Int32(path.count), &value)
    }
    guard used >= 0 else { return nil }
    var count = Int(used)
    var pushed: Int32 = 1
    defer { lull_pop(state, pushed) }
    while count < path.count, value.kind != Int32(LULL_NIL) {
      let isObject = value.kind == Int32(LULL_OBJECT)
      var next = lull_value()
      guard !isObject || mayRead(path[count], of: value),
        lull_session_step(bridge.pointer, path[count], &next) != 0
      else { break }
      pushed += 1
      if isObject, next.kind == Int32(LULL_NIL) {
        // Only the type of the property is known, not a value, so the walk ends at the object.
        lull_pop(state, 1)
        pushed -= 1
        break
      }
      value = next
      count += 1
    }
    return body(value, count)
  }

  private func walk<Result>(_ path: [String], _ body: (lull_value, Int) -> Result?) -> Result? {
    let found: Result?? = walk(path, { value, used -> Result? in body(value, used) })
    return found ?? nil
  }

  /// Returns the string keys of the table at the top of the stack.
  ///
  /// - Parameters:
  ///   - onlyFunctions: whether only fields whose values are functions count.
  ///   - namesOnly: whether only keys that are Lua names count.
  private func keys(onlyFunctions: Bool, namesOnly: Bool = true) -> [String] {
    var value = lull_value()
    let table = lull_stack_top(state)
    lull_read(state, table, &value)
    guard value.kind == Int32(LULL_TABLE) else { return [] }
    let keys = lull_table_begin(state)
    guard keys != 0 else { return [] }
    var names: [String] = []
    var key = lull_value()
    while names.count < 5000, lull_table_next(state, table, &key, &value) == 1 {
      if let name = key.string, !namesOnly || ShownValue.isName(name),
        !onlyFunctions || value.kind == Int32(LULL_FUNCTION)
      {
        names.append(name)
      }
      lull_table_pop_value(state, keys)
    }
    if names.count == 5000 { lull_table_leave(state, keys) }
    return names
  }
}
