import LullCore
import LullTransport

/// The functions that read values of a type from scripts, check them, and convert them back to Lua
/// values.
struct SettingType<Value: Sendable>: Sendable {
  let read: @Sendable (GivenSetting) throws(Misuse) -> Value
  /// Converts a value to the Lua value that scripts read. Returns nil if scripts read nil.
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

extension SettingType<RequestMethod> {
  static var queryMethod: Self {
    Self(
      read: { given throws(Misuse) in
        guard let word = given.value.string, let method = RequestMethod(rawValue: word),
          method == .query || method == .post
        else { throw given.mustBe("\"QUERY\" or \"POST\"") }
        return method
      },
      show: { .string($0.rawValue) })
  }
}

extension SettingType<ContentValidation?> {
  /// The setting `validate`: the name of a `ContentValidation`, or false for no validation.
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

extension SettingType<PersistedQueries?> {
  /// The setting `persisted_queries`: a boolean.
  static var persistedQueries: Self {
    Self(
      read: { given throws(Misuse) in try given.flag() ? .sha256 : nil }, show: { .bool($0 != nil) }
    )
  }
}

extension SettingType<Bool> {
  static var flag: Self {
    Self(read: { given throws(Misuse) in try given.flag() }, show: { .bool($0) })
  }

  /// A boolean whose value in scripts is the opposite of the field's value in Swift.
  static var oppositeFlag: Self {
    Self(read: { given throws(Misuse) in try !given.flag() }, show: { .bool(!$0) })
  }
}

/// A field of a setting whose value is a table, with the documentation of the field and the
/// functions that read and write it.
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
