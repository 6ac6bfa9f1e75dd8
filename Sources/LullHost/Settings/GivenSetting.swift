import CLullBridge
import LullCore

/// A value that a script has passed for a setting, or for a field of a setting. It also contains
/// everything that is needed to read the value.
struct GivenSetting {
  /// The name of the setting or field in messages, such as `retry` or `retry.backoff.base`.
  let name: String
  let value: lull_value
  /// The stack index of the value.
  let index: Int32
  let call: Call
  /// The service whose configuration the setting changes.
  let service: Service

  var state: OpaquePointer? { call.state }

  func mustBe(_ expectation: String) -> Misuse {
    .message("'\(name)' must be \(expectation), got \(value.described)")
  }

  /// Whether the value removes the setting. False removes it, and nil does so where nil can be
  /// passed.
  var isOff: Bool { value.kind == Int32(LULL_NIL) || value.bool == false }

  var isTable: Bool { value.kind == Int32(LULL_TABLE) }

  /// The value as a string that can be passed to C functions. It is nil if the value is not a
  /// string, or if the string contains a zero byte.
  var plainString: String? {
    value.string.flatMap { $0.utf8.contains(0) ? nil : $0 }
  }

  // MARK: Rules

  /// Returns the value as a number. Throws if the rule does not allow the value. The same rule
  /// applies to Swift programs.
  func number(_ rule: NumberRule) throws(Misuse) -> Double {
    guard let number = value.double, rule.allows(number) else { throw mustBe(rule.expectation) }
    return number
  }

  func seconds() throws(Misuse) -> Double { try number(.seconds) }

  func count(minimum: Int) throws(Misuse) -> Int {
    let rule = NumberRule.count(from: minimum)
    guard let count = Int(exactly: try number(rule)) else { throw mustBe(rule.expectation) }
    return count
  }

  func flag() throws(Misuse) -> Bool {
    guard let flag = value.bool else { throw mustBe("true or false") }
    return flag
  }

  /// The value as an integer. It is nil if the value is not a number or has a fraction.
  var whole: Int? { value.double.flatMap { Int(exactly: $0) } }

  /// Reads the fields of the value, which must be a table, and sets them in `owner`. `fields`
  /// contains the known fields.
  func read<Owner>(_ fields: [SettingField<Owner>], into owner: inout Owner) throws(Misuse) {
    var changed = owner
    try call.reading.options.forEach(
      of: index, in: state, known: fields.map(\.entry.name), owner: name
    ) { key, value throws(Misuse) in
      let given = GivenSetting(
        name: "\(name).\(key)", value: value, index: LuaTable.visitedIndex(in: state), call: call,
        service: service)
      for field in fields where field.entry.name == key { try field.set(given, &changed) }
    }
    owner = changed
  }
}
