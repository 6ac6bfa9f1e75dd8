package import LullCore

/// One setting of a configuration: all there is to say about it, in one place.
///
/// Tables of settings, the object that settings functions get, `configuration_for`, `explain`, help,
/// annotations, the reference, and the nearest name to one that is wrong: all of them read this. A new
/// setting is an entry in the list of its group.
package struct Setting: Sendable {
  typealias Change = (inout Configuration) -> Void

  /// How the object of a settings function has it.
  enum Access: Sendable {
    /// As a field that reads as its value.
    case field
    /// As a field that reads as an object of its own, through which it can be changed.
    case object(@Sendable (Call, ConfigurationBox) -> LuaValue)
    /// As a method that adds to it.
    case method
  }

  /// How `explain` tells of it.
  enum Explanation: Sendable {
    /// By its value; numbers that are not whole by their type are seconds.
    case value
    case words(@Sendable (Configuration) -> String)
    /// By how many functions there are.
    case functions(@Sendable (Configuration) -> Int)
    /// By parts, which are told of each by itself.
    case parts
  }

  /// As scripts spell it.
  package let name: String
  let documentation: SettingDocumentation
  let access: Access
  let explanation: Explanation
  /// What tells its values apart in this process; nil: what they are as values of Lua.
  let fingerprint: (@Sendable (Configuration) -> Int)?
  /// What it is in a configuration; nil: not set, or nothing to be read.
  let value: @Sendable (Configuration) -> LuaValue?
  /// Checks what a script gives, and makes a change of it, to be applied in order later: a mistake
  /// raises at the line that made it.
  let change: @Sendable (GivenSetting) throws(Misuse) -> Change
  /// What assigning takes away first, where a table of settings only adds.
  let clear: (@Sendable (inout Configuration) -> Void)?

  init(
    _ name: String, access: Access = .field, explanation: Explanation = .value,
    _ documentation: SettingDocumentation,
    fingerprint: (@Sendable (Configuration) -> Int)? = nil,
    value: @escaping @Sendable (Configuration) -> LuaValue?,
    clear: (@Sendable (inout Configuration) -> Void)? = nil,
    change: @escaping @Sendable (GivenSetting) throws(Misuse) -> Change
  ) {
    self.name = name
    self.fingerprint = fingerprint
    self.documentation = documentation
    self.access = access
    self.explanation = explanation
    self.value = value
    self.change = change
    self.clear = clear
  }

  /// One that is a field of configurations.
  init<Value: Sendable>(
    _ name: String, _ type: SettingType<Value>,
    at path: any WritableKeyPath<Configuration, Value> & Sendable,
    explanation: Explanation = .value, _ documentation: SettingDocumentation
  ) {
    self.init(
      name, explanation: explanation, documentation, value: { type.show($0[keyPath: path]) },
      change: { given throws(Misuse) in
        let value = try type.read(given)
        return { $0[keyPath: path] = value }
      })
  }

  /// One that requests ask of the network.
  init<Value: Sendable>(
    _ name: String, _ type: SettingType<Value>,
    ofTransfer path: any WritableKeyPath<TransferOptions.Fields, Value> & Sendable,
    fingerprint: (@Sendable (Configuration) -> Int)? = nil,
    _ documentation: SettingDocumentation
  ) {
    self.init(
      name, documentation, fingerprint: fingerprint,
      value: { type.show(($0.options ?? TransferOptions())[dynamicMember: path]) },
      change: { given throws(Misuse) in
        let value = try type.read(given)
        return { $0.setOptions { $0[dynamicMember: path] = value } }
      })
  }
}

extension Setting {
  /// In the order of `explain`.
  package static let all = basic + policies + network + processing

  package static let names = all.map(\.name)

  private static let places = Dictionary(
    uniqueKeysWithValues: all.enumerated().map { ($0.element.name, $0.offset) })

  static func named(_ name: String) -> Setting? { places[name].map { all[$0] } }

  /// In the order of the reference, as the object of a settings function has them.
  static var propertyEntries: [APIEntry] {
    (basic + policies + processing + network).map { $0.documentation.property(called: $0.name) }
  }

  /// In the same order, as tables of settings have them.
  static var fieldEntries: [APIEntry] {
    (basic + policies + processing + network).map { $0.documentation.field(called: $0.name) }
  }

  var isMethod: Bool { if case .method = access { true } else { false } }

  /// The changes that a table of settings makes, beside which other fields may stand.
  static func changes(
    _ call: Call, table: Int32, service: Service, beside others: [String] = []
  ) throws(Misuse) -> [Change] {
    var changes: [Change] = []
    try call.reading.options.forEach(of: table, in: call.state, known: others + names) {
      name, value throws(Misuse) in
      guard let setting = named(name) else { return }
      let given = GivenSetting(
        name: name, value: value, index: LuaTable.visitedIndex(in: call.state), call: call,
        service: service)
      changes.append(try setting.change(given))
    }
    return changes
  }

  // MARK: In words

  /// What it is in a configuration, for people; nil where it is not set, or not told of by its value.
  package func words(in settings: Configuration) -> String? {
    switch explanation {
    case .value: value(settings).map(\.words)
    case .words(let words): value(settings).map { _ in words(settings) }
    case .functions, .parts: nil
    }
  }

  @Sendable private func fingerprint(in settings: Configuration) -> Int {
    if let fingerprint { return fingerprint(settings) }
    return value(settings).map { $0.explained(limit: .max).hashValue } ?? 0
  }

  /// How explanations tell of it, by its name in Lua; nil where its parts are told of.
  private var explained: ExplainedSetting? {
    switch explanation {
    case .value, .words:
      ExplainedSetting(name, off: "false", fingerprint: fingerprint(in:)) { words(in: $0) }
    case .functions(let count): ExplainedSetting(name, functions: count)
    case .parts: nil
    }
  }

  /// How explanations tell of all, in their order.
  package static let explained = all.compactMap(\.explained)

  /// How many functions of the script it is made of.
  package func functionCount(in settings: Configuration) -> Int {
    if case .functions(let count) = explanation { count(settings) } else { 0 }
  }
}

extension LuaValue {
  fileprivate var words: String {
    if case .number = self { "\(explained()) s" } else { explained() }
  }

  /// In a few words, for people.
  ///
  /// - Parameter limit: of texts, in characters.
  fileprivate func explained(limit: Int = 80) -> String {
    switch self {
    case .bool(let bool): bool ? "true" : "false"
    case .int(let int): String(int)
    case .number(let number): LogText.number(number)
    case .string(let text): limit == .max ? text : LogText.part(text, limit: limit)
    case .list(let elements): elements.map { $0.explained(limit: limit) }.joined(separator: ", ")
    case .map(let pairs), .readOnly(let pairs):
      pairs.map { "\($0.0) = \($0.1.explained(limit: limit))" }.joined(separator: ", ")
    case .nil, .null: "none"
    default: "…"
    }
  }
}
