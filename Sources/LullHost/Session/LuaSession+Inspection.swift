import CLullBridge
import LullCore

/// Looking around for completion: nothing of the script's is called, no metamethod asked, nothing
/// loaded. Objects of Lull give what they have.
extension LuaSession {
  /// The names a line can use: variables of the session, globals, `help`.
  package var variableNames: [String] {
    var names: Set<String> = []
    for part in Int32(0)..<3 where lull_session_variables(bridge.pointer, part) != 0 {
      names.formUnion(keys(onlyFunctions: false))
      lull_pop(state, 1)
    }
    return names.sorted()
  }

  /// The fields of what a variable and its fields lead to, if that is no object of Lull; also those
  /// of tables it inherits from. A part of a path that begins with `[` is the number of an element.
  package func fieldNames(
    of path: [String], onlyFunctions: Bool, namesOnly: Bool = true
  ) -> [String] {
    var names: Set<String> = []
    walk(path) { _, used in
      guard used == path.count else { return }
      _ = lull_session_open_document(bridge.pointer)
      // A chain of tables may come back to its beginning.
      for _ in 0..<50 {
        names.formUnion(keys(onlyFunctions: onlyFunctions, namesOnly: namesOnly))
        if lull_session_next_table(bridge.pointer) == 0 { break }
      }
    }
    return names.sorted()
  }

  /// What there is to complete and to be helped with.
  package var description: APIDescription { bridge.library.description }

  /// What the first argument of a function of the module may be, where there is something to choose from.
  ///
  /// - Parameter typed: its beginning.
  package func choices(for function: String, typed: String) -> [String] {
    bridge.library.choices(for: function, typed: typed)
  }

  /// The description of the object of Lull on the way, and how many of the names lead to it.
  package func object(at path: [String]) -> (owner: APIOwner, used: Int)? {
    walk(path) { value, used in
      guard value.kind == Int32(LULL_OBJECT),
        let owner = description.owners.first(where: { $0.handle?.rawValue == value.aux })
      else { return nil }
      return (owner, used)
    }
  }

  /// The fields of an object that says itself what they are called, where a path leads to one.
  package func ownFieldNames(at path: [String]) -> [String]? {
    walk(path) { value, used in
      guard used == path.count else { return nil }
      return handles.fieldNaming(value)?.fieldNames
    }
  }

  /// The methods of its own of a service, where a path leads to one. (SVC-120)
  package func ownMethodNames(at path: [String]) -> [String] {
    walk(path) { value, used -> [String] in
      guard used == path.count,
        let service = handles.object(value, .service, as: Service.self)
      else { return [] }
      return service.hostFunctions.keys.sorted()
    } ?? []
  }

  /// The object of which there is more to tell than of its kind, where a path leads to one.
  package func selfDescribing(at path: [String]) -> (any SelfDescribing)? {
    walk(path) { value, used in used == path.count ? handles.selfDescribing(value) : nil }
  }

  /// Whether a path leads to a value that is not nil.
  package func isThere(_ path: [String]) -> Bool {
    walk(path) { value, used in used == path.count && value.kind != Int32(LULL_NIL) } ?? false
  }

  /// What is said of what Lull calls so; nil if nothing is called so.
  package func help(named name: String) -> String? { HelpText(description).text(named: name) }

  /// What is said of a name that nothing has.
  package func refusal(ofHelpFor name: String) -> String {
    FunctionLookup(bridge).unknown(name)
  }

  /// The function of Lull a path leads to, as `lull.service`.
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

  /// What `require` has loaded; names with dots too.
  package var loadedModules: [String] {
    var names: [String] = []
    walk(["package", "loaded"]) { _, used in
      if used == 2 { names = keys(onlyFunctions: false, namesOnly: false) }
    }
    return names
  }

  /// Makes `require` load a module anew.
  package func forget(module: String) {
    lull_session_forget_module(bridge.pointer, module)
  }

  // MARK: Resources in memory

  /// Paths of a service's resources, as `service:resource(path)` takes them.
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

  /// What `resource:child(path)` takes for the resources below one.
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

  /// Whether reading a property does no more than to give its value: data that is not there would be
  /// looked for in a cache.
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
    // One block of C strings, and where each of them begins in it.
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
        // Known by its type alone.
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

  /// The keys, if they are names, of the table at the top.
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
