import CLullBridge
import LullCore

extension BridgeRuntime {
  /// Converts a value to the bridge's format. Strings and lists are copied into the arena. They
  /// remain in the arena until the trampoline has pushed them, or the code that set the arena mark.
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
    case .digits(var digits):
      digits.withUTF8 { encodeString($0, into: &result) }
      result.kind = Int32(LULL_DIGITS)
    case .string(var string):
      string.withUTF8 { encodeString($0, into: &result) }
    case .bytes(let bytes):
      bytes.withUnsafeBufferPointer { encodeString($0, into: &result) }
    case .constant(let constant):
      result = lull_value(constant)
    case .object(let handle, let kind, let service, let anchor):
      result = lull_value(object: handle, kind: kind, service: service)
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
      result.extra = UInt64(document.serial | ScriptValues.viewIDs)
    case .list(let elements):
      result.kind = Int32(LULL_LIST)
      result.extra = UInt64(elements.count)
      result.pointer = encodeAll(elements)
    case .spread(let values):
      result.kind = Int32(LULL_SPREAD)
      result.extra = UInt64(values.count)
      result.pointer = encodeAll(values)
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
      let copy = lull_arena_allocate(pointer, bytes.count)
    else { return }
    // `copy` was just allocated with exactly that many bytes.
    copy.copyMemory(from: source, byteCount: bytes.count)
    result.pointer = UnsafeRawPointer(copy)
    result.extra = UInt64(bytes.count)
  }

  private func encodeAll(_ values: [LuaValue]) -> UnsafeRawPointer? {
    guard !values.isEmpty,
      let memory = lull_arena_allocate(
        pointer, values.count * MemoryLayout<lull_value>.stride)
    else { return nil }
    // `memory` was just allocated for exactly that many values.
    let array = memory.bindMemory(to: lull_value.self, capacity: values.count)
    for (index, value) in values.enumerated() {
      (array + index).initialize(to: encode(value))
    }
    return UnsafeRawPointer(array)
  }
}

extension lull_value {
  /// Creates the value for an object with a handle.
  init(object handle: UInt64, kind: Int32, service: UInt64) {
    self.init()
    self.kind = Int32(LULL_OBJECT)
    aux = kind
    self.handle = handle
    extra = service
  }

  /// Creates the value for a string that is pushed often.
  init(_ constant: LuaConstant) {
    self.init()
    kind = Int32(LULL_STRING)
    aux = constant.rawValue
    pointer = UnsafeRawPointer(constant.text.utf8Start)
    extra = UInt64(constant.text.utf8CodeUnitCount)
  }
}
