import CLullBridge
import LullCore
import LullHost

/// Reads the parameter values that a script passes.
struct ParameterValueReader {
  let handles: ObjectHandles
  let json: JSONReader

  /// Reads and checks the value of a parameter at a stack position.
  func value(
    _ value: lull_value, _ index: Int32, _ state: OpaquePointer?, for parameter: CallParameter
  ) throws(Misuse) -> CallValue {
    if parameter.kind == .json, !parameter.isList {
      return .json(try text(index, state, of: parameter))
    }
    if parameter.kind == .object {
      return try object(value, index, state, of: parameter)
    }
    guard parameter.isList else { return try single(value, index, state, of: parameter) }
    guard value.kind == Int32(LULL_TABLE) else {
      throw misuse(parameter, parameter.expectation, value)
    }
    var elements: [(position: Int64, value: CallValue)] = []
    try LuaTable(index, in: state).forEachField { key, element throws(Misuse) in
      guard key.kind == Int32(LULL_INTEGER) else {
        throw .message(
          "parameter '\(parameter.name)' must be \(parameter.expectation), got a table with the "
            + "field \(key.described)")
      }
      guard handles.secret(element) == nil else {
        throw .message("parameter '\(parameter.name)': a secret cannot be in a list")
      }
      let one = try single(element, LuaTable.visitedIndex(in: state), state, of: parameter)
      elements.append((key.integer, one))
    }
    elements.sort { $0.position < $1.position }
    for (place, element) in elements.enumerated() where element.position != Int64(place + 1) {
      throw .message(
        "parameter '\(parameter.name)' must be \(parameter.expectation), but element "
          + "\(place + 1) is missing")
    }
    return .list(elements.map(\.value))
  }

  private func misuse(
    _ parameter: CallParameter, _ expectation: String, _ value: lull_value
  ) -> Misuse {
    .message("parameter '\(parameter.name)' must be \(expectation), got " + value.described)
  }

  private func text(
    _ index: Int32, _ state: OpaquePointer?, of parameter: CallParameter
  ) throws(Misuse) -> [UInt8] {
    switch json.text(of: state, index) {
    case .success(let bytes): return bytes
    case .failure(let problem):
      throw .message("parameter '\(parameter.name)' cannot be encoded: \(problem.text)")
    }
  }

  private func single(
    _ value: lull_value, _ index: Int32, _ state: OpaquePointer?, of parameter: CallParameter
  ) throws(Misuse) -> CallValue {
    switch (parameter.kind, Int(value.kind)) {
    case (.string, Int(LULL_OBJECT)):
      if let text = handles.secret(value) { return .secret(text) }
    case (.string, _):
      try value.requireText("parameter '\(parameter.name)'")
      if let text = value.text { return .string(text) }
    case (.boolean, _):
      if let bool = value.bool { return .boolean(bool) }
    case (.choice(let words), _):
      if let text = value.text, words.contains(text) { return .string(text) }
    case (.integer, Int(LULL_DIGITS)), (.number, Int(LULL_DIGITS)):
      let isWhole = value.digits?.utf8.allSatisfy { (48...57).contains($0) || $0 == 45 } ?? false
      if let digits = value.digits, parameter.integers.isEmpty, isWhole || parameter.kind == .number
      {
        return .digits(digits)
      }
    case (.integer, _), (.number, Int(LULL_INTEGER)):
      if let whole = ParameterValueReader.whole(value), parameter.allows(.integer(whole)) {
        return .integer(whole)
      }
    case (.number, Int(LULL_NUMBER)):
      if value.number.isFinite { return .number(value.number) }
    case (.json, _): return .json(try text(index, state, of: parameter))
    case (.file, Int(LULL_OBJECT)):
      if let file = handles.uploadFile(value) { return .file(file) }
    case (.file, _):
      if let path = value.bytes, !path.isEmpty, !path.contains(0) {
        return .file(UploadFile(ByteString(path)))
      }
    default: break
    }
    throw misuse(parameter, parameter.expectationOfOne, value)
  }

  /// Reads an object whose fields are single values. An object with other values becomes JSON,
  /// which only some locations allow.
  private func object(
    _ value: lull_value, _ index: Int32, _ state: OpaquePointer?, of parameter: CallParameter
  ) throws(Misuse) -> CallValue {
    guard value.kind == Int32(LULL_TABLE) else {
      throw misuse(parameter, parameter.expectation, value)
    }
    var members: [CallValue.Member] = []
    var isFlat = true
    try LuaTable(index, in: state).forEachField { key, field throws(Misuse) in
      guard let name = key.string else {
        throw .message(
          "parameter '\(parameter.name)' must be \(parameter.expectation), got the field "
            + key.described)
      }
      try key.requireText("a field of parameter '\(parameter.name)'")
      guard handles.secret(field) == nil else {
        throw .message("parameter '\(parameter.name)': a secret cannot be in a table")
      }
      guard let single = try ParameterValueReader.single(field, name, of: parameter) else {
        isFlat = false
        return
      }
      members.append(.init(name, single))
    }
    return isFlat ? .object(sorting: members) : .json(try text(index, state, of: parameter))
  }

  /// Returns a single value. nil for a table, or for a Lua type that parameters can't have.
  private static func single(
    _ value: lull_value, _ name: String, of parameter: CallParameter
  ) throws(Misuse) -> CallValue? {
    try value.requireText("the field '\(name)' of parameter '\(parameter.name)'")
    if let bool = value.bool { return .boolean(bool) }
    if let text = value.string { return .string(text) }
    if let digits = value.digits { return .digits(digits) }
    guard let number = value.double, number.isFinite else { return nil }
    return whole(value).map { .integer($0) } ?? .number(number)
  }

  /// Returns an integer. An integer is read directly, because it may have more digits than a float
  /// can represent.
  private static func whole(_ value: lull_value) -> Int? {
    if value.kind == Int32(LULL_INTEGER) { return Int(value.integer) }
    return value.double.flatMap { Int(exactly: $0) }
  }
}
