package import LullCore

/// One setting of a configuration, with everything about it in one place.
///
/// Tables of settings, the object passed to settings functions, `configuration_for`, `explain`,
/// help, annotations, the reference, and suggestions for wrong names all read this. A new setting
/// is an entry in the list of its group.
package struct Setting: Sendable {
  typealias Change = (inout Configuration) -> Void

  /// How the object passed to settings functions provides it.
  enum Access: Sendable {
    /// As a field that reads as its value.
    case field
    /// As a field that reads as an object with which it can be changed.
    case object(@Sendable (Call, ConfigurationBox) -> LuaValue)
    /// As a method that adds to it.
    case method
  }

  /// How `explain` shows it.
  enum Explanation: Sendable {
    /// By its value. A number of floating-point type is shown as seconds.
    case value
    case words(@Sendable (Configuration) -> String)
    /// By the number of functions.
    case functions(@Sendable (Configuration) -> Int)
    /// By its parts, which are shown separately.
    case parts
  }

  /// The name in scripts.
  package let name: String
  let documentation: SettingDocumentation
  let access: Access
  let explanation: Explanation
  /// Distinguishes its values in this process; nil to compare their Lua values.
  let fingerprint: (@Sendable (Configuration) -> Int)?
  /// Returns its value in a configuration; nil if it is not set or can't be read.
  let value: @Sendable (Configuration) -> LuaValue?
  /// Checks the value from a script and returns a change, which is applied in order later. An error
  /// raises at the line that made it.
  let change: @Sendable (GivenSetting) throws(Misuse) -> Change
  /// Removes the old value before an assignment, if a table of settings only adds to it.
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

  /// Creates a setting that is a field of configurations.
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

  /// Creates a setting that is a network option of requests.
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
  /// All settings, in the order of `explain`.
  package static let all = basic + policies + network + processing

  package static let names = all.map(\.name)

  private static let places = Dictionary(
    uniqueKeysWithValues: all.enumerated().map { ($0.element.name, $0.offset) })

  static func named(_ name: String) -> Setting? { places[name].map { all[$0] } }

  /// The entries for the object passed to settings functions, in the order of the reference.
  static var propertyEntries: [APIEntry] {
    (basic + policies + processing + network).map { $0.documentation.property(called: $0.name) }
  }

  /// The entries for tables of settings, in the same order.
  static var fieldEntries: [APIEntry] {
    (basic + policies + processing + network).map { $0.documentation.field(called: $0.name) }
  }

  var isMethod: Bool { if case .method = access { true } else { false } }

  /// Returns the changes for a table of settings, which may have other fields.
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

  // MARK: Display

  /// Returns its value in a configuration for display; nil if it is not set or not shown by its
  /// value.
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

  /// How explanations show it, by its Lua name; nil if its parts are shown separately.
  private var explained: ExplainedSetting? {
    switch explanation {
    case .value, .words:
      ExplainedSetting(name, off: "false", fingerprint: fingerprint(in:)) { words(in: $0) }
    case .functions(let count): ExplainedSetting(name, functions: count)
    case .parts: nil
    }
  }

  /// How explanations show all settings, in order.
  package static let explained = all.compactMap(\.explained)

  /// Returns the number of script functions in it.
  package func functionCount(in settings: Configuration) -> Int {
    if case .functions(let count) = explanation { count(settings) } else { 0 }
  }
}

extension LuaValue {
  fileprivate var words: String {
    if case .number = self { "\(explained()) s" } else { explained() }
  }

  /// Returns the value in short form for display.
  ///
  /// - Parameter limit: the maximum length of strings in characters.
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
