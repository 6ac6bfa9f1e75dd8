import CLullBridge
import LullCore

/// A value on its way to Lua.
enum LuaValue: Sendable {
  case `nil`
  case null
  case bool(Bool)
  case int(Int64)
  case number(Double)
  case string(String)
  case bytes([UInt8])
  /// A text that is pushed often: made once per state.
  case constant(LuaConstant)
  /// An object by handle, with its service's handle (0: none) and a kept value its userdata holds.
  case object(handle: UInt64, kind: Int32, service: UInt64, anchor: Int64)
  /// A value kept by id; nil if it is gone.
  case ref(Int64)
  /// The tables of a document, shared under that id. Whoever hands it over holds the document.
  case tables(JSONDocument, id: Int64)
  /// The value at that position of the caller's stack.
  case stack(Int32)
  /// A read-only view of a document that somebody holds until the value has been pushed.
  case view(JSONDocument)
  case list([LuaValue])
  case map([(String, LuaValue)])
  /// A table with keys that need not be text.
  case table([(LuaValue, LuaValue)])
  /// A table that raises when it is assigned to.
  case readOnly([(String, LuaValue)])
  /// A function bound to an object.
  case method(index: Int32, handle: UInt64, service: UInt64)
  /// The elements of a packed table.
  case unpack(Int64)
  /// An element of a table kept by id.
  case element(of: Int64, Int)
  /// The function `next`.
  case globalNext
  /// A value to raise where it was awaited, and the failure it comes from.
  indirect case reraised(LuaValue, ScriptFailure)
}

/// Texts pushed on hot paths, known to the bridge by number.
enum LuaConstant: Int32 {
  case observerAdded = 1
  case requested
  case requestCancelled
  case newData
  case notModified
  case error
  case network
  case cache
  case localOverride
  case wipe

  var text: StaticString {
    switch self {
    case .observerAdded: "observer_added"
    case .requested: "requested"
    case .requestCancelled: "request_cancelled"
    case .newData: "new_data"
    case .notModified: "not_modified"
    case .error: "error"
    case .network: "network"
    case .cache: "cache"
    case .localOverride: "local_override"
    case .wipe: "wipe"
    }
  }
}

extension LuaValue {
  init(_ raised: RaisedValue) {
    switch raised {
    case .boolean(let bool): self = .bool(bool)
    case .integer(let int): self = .int(int)
    case .number(let number): self = .number(number)
    case .string(let string): self = string.text.map { .string($0) } ?? .bytes(string.bytes)
    case .foreign(let foreign): self = .ref(foreign.id)
    }
  }
}

extension LuaHost {
  /// The bridge's form of a value; strings and lists are copied into the arena.
  func encode(_ value: LuaValue) -> lull_value {
    var result = lull_value()
    switch value {
    case .nil: result.kind = Int32(LULL_NIL)
    case .null: result.kind = Int32(LULL_NULL)
    case .bool(let bool):
      result.kind = Int32(LULL_BOOLEAN)
      result.integer = bool ? 1 : 0
    case .int(let int):
      result.kind = Int32(LULL_INTEGER)
      result.integer = int
    case .number(let number):
      result.kind = Int32(LULL_NUMBER)
      result.number = number
    case .string(var string):
      string.withUTF8 { encodeString($0, into: &result) }
    case .bytes(let bytes):
      bytes.withUnsafeBufferPointer { encodeString($0, into: &result) }
    case .constant(let constant):
      result = LuaHost.encode(constant)
    case .object(let handle, let kind, let service, let anchor):
      result.kind = Int32(LULL_OBJECT)
      result.aux = kind
      result.handle = handle
      result.extra = service
      result.anchor = anchor
    case .ref(let id):
      result.kind = Int32(LULL_REF)
      result.integer = id
    case .tables(let document, let id):
      result.kind = Int32(LULL_JSON)
      result.pointer = UnsafeRawPointer(document.pointer)
      result.extra = UInt64(id)
    case .stack(let index):
      result.kind = Int32(LULL_STACK)
      result.integer = Int64(index)
    case .view(let document):
      result.kind = Int32(LULL_VIEW)
      result.pointer = UnsafeRawPointer(document.pointer)
      result.extra = UInt64(document.serial | LuaHost.viewIDs)
    case .list(let elements):
      result.kind = Int32(LULL_LIST)
      result.extra = UInt64(elements.count)
      result.pointer = encodeAll(elements)
    case .map(let pairs):
      result.kind = Int32(LULL_MAP)
      result.extra = UInt64(pairs.count)
      result.pointer = encodeAll(pairs.flatMap { [LuaValue.string($0.0), $0.1] })
    case .table(let pairs):
      result.kind = Int32(LULL_MAP)
      result.extra = UInt64(pairs.count)
      result.pointer = encodeAll(pairs.flatMap { [$0.0, $0.1] })
    case .readOnly(let pairs):
      result = encode(.map(pairs))
      result.aux = 1
    case .method(let index, let handle, let service):
      result.kind = Int32(LULL_METHOD)
      result.aux = index
      result.handle = handle
      result.extra = service
    case .globalNext: result.kind = Int32(LULL_NEXT)
    case .reraised(let value, _): result = encode(value)
    case .element(let id, let position):
      result.kind = Int32(LULL_ELEMENT)
      result.integer = id
      result.extra = UInt64(position)
    case .unpack(let id):
      result.kind = Int32(LULL_UNPACK)
      result.integer = id
    }
    return result
  }

  private func encodeString(_ bytes: UnsafeBufferPointer<UInt8>, into result: inout lull_value) {
    result.kind = Int32(LULL_STRING)
    guard let source = bytes.baseAddress, !bytes.isEmpty,
      let copy = lull_arena_allocate(runtime, bytes.count)
    else { return }
    // The arena keeps it until the trampoline, or whoever set the mark, has pushed it.
    copy.copyMemory(from: source, byteCount: bytes.count)
    result.pointer = UnsafeRawPointer(copy)
    result.extra = UInt64(bytes.count)
  }

  private func encodeAll(_ values: [LuaValue]) -> UnsafeRawPointer? {
    guard !values.isEmpty,
      let memory = lull_arena_allocate(runtime, values.count * MemoryLayout<lull_value>.stride)
    else { return nil }
    // Freshly allocated for exactly that many values.
    let array = memory.bindMemory(to: lull_value.self, capacity: values.count)
    for (index, value) in values.enumerated() {
      (array + index).initialize(to: encode(value))
    }
    return UnsafeRawPointer(array)
  }
}
