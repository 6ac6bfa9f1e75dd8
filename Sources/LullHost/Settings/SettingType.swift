import LullCore

/// How values of a type are read from scripts, checked, and converted back to Lua values.
struct SettingType<Value: Sendable>: Sendable {
  let read: @Sendable (GivenSetting) throws(Misuse) -> Value
  /// Returns the Lua value for a value, or nil if the setting reads as nil in Lua.
  let show: @Sendable (Value) -> LuaValue?
}

extension SettingType<Double> {
  static var seconds: Self {
    Self(read: { given throws(Misuse) in try given.seconds() }, show: { .number($0) })
  }
}

extension SettingType<ExpirationTime> {
  static var expirationTime: Self {
    Self(
      read: { given throws(Misuse) in
        if given.value.string == "http" { return .http }
        guard given.value.string == nil else {
          throw given.mustBe("a number of seconds or \"http\"")
        }
        return .seconds(try given.seconds())
      },
      show: { time in
        switch time {
        case .seconds(let seconds): .number(seconds)
        case .http: .string("http")
        }
      })
  }
}

extension SettingType<ContentValidation?> {
  /// The setting `validate`: the name of a `ContentValidation`, or false for none.
  static var validation: Self {
    Self(
      read: { given throws(Misuse) in
        if given.isOff { return nil }
        guard let word = given.value.string, let validation = ContentValidation(rawValue: word)
        else { throw given.mustBe("\"warn\", \"fail\" or false") }
        return validation
      },
      show: { $0.map { .string($0.rawValue) } })
  }
}

extension SettingType<ResponseType?> {
  /// The setting `response_type`: the name of a `ResponseType`, or false to use the Content-Type.
  static var responseType: Self {
    Self(
      read: { given throws(Misuse) in
        if given.isOff { return nil }
        guard let word = given.value.string, let type = ResponseType(rawValue: word) else {
          throw given.mustBe("\"json\", \"ndjson\", \"text\", \"csv\" or false")
        }
        return type
      },
      show: { $0.map { .string($0.rawValue) } })
  }
}

extension SettingType<Int> {
  static func count(minimum: Int) -> Self {
    Self(
      read: { given throws(Misuse) in try given.count(minimum: minimum) },
      show: { .int(Int64($0)) })
  }
}

extension SettingType<Bool> {
  static var flag: Self {
    Self(read: { given throws(Misuse) in try given.flag() }, show: { .bool($0) })
  }

  /// A flag in scripts that is the opposite of the field in Swift.
  static var oppositeFlag: Self {
    Self(read: { given throws(Misuse) in try !given.flag() }, show: { .bool(!$0) })
  }
}

/// A field of a setting that is a table, with its documentation and the functions that read and
/// write it.
struct SettingField<Owner>: Sendable {
  let entry: APIEntry
  let show: @Sendable (Owner) -> LuaValue
  let set: @Sendable (GivenSetting, inout Owner) throws(Misuse) -> Void

  init(
    _ entry: APIEntry, show: @escaping @Sendable (Owner) -> LuaValue,
    set: @escaping @Sendable (GivenSetting, inout Owner) throws(Misuse) -> Void
  ) {
    self.entry = entry
    self.show = show
    self.set = set
  }
}

extension LuaValue {
  /// Returns the read-only Lua table that a script gets if it reads a setting with these fields.
  static func readOnly<Owner>(_ owner: Owner, _ fields: [SettingField<Owner>]) -> LuaValue {
    .readOnly(fields.map { ($0.entry.name, $0.show(owner)) })
  }
}
