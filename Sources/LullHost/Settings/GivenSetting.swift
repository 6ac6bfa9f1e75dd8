import CLullBridge
import LullCore

/// What a script has given for a setting, or for a field of one, and what reading it may take.
struct GivenSetting {
  /// As messages call it: `retry`, `retry.backoff.base`.
  let name: String
  let value: lull_value
  /// Where the value is on the stack.
  let index: Int32
  let call: Call
  /// Whose configuration it is for.
  let service: Service

  var state: OpaquePointer? { call.state }

  func mustBe(_ expectation: String) -> Misuse {
    .message("'\(name)' must be \(expectation), got \(value.described)")
  }

  /// Whether it takes the setting away: false, or nil where that can be given.
  var isOff: Bool { value.kind == Int32(LULL_NIL) || value.bool == false }

  var isTable: Bool { value.kind == Int32(LULL_TABLE) }

  /// A string that C's functions can be given.
  var plainString: String? {
    value.string.flatMap { $0.utf8.contains(0) ? nil : $0 }
  }

  // MARK: Rules

  /// A number that the rule allows, which holds for programs too.
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

  /// A number without a fraction.
  var whole: Int? { value.double.flatMap { Int(exactly: $0) } }

  /// The fields of the table that it is, by their descriptions.
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
