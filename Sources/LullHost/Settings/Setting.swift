package import LullCore

/// One setting of a configuration: its name, its documentation, and the functions that read, show
/// and change the setting.
///
/// This data is used by tables of settings, the object passed to settings functions,
/// `configuration_for`, `explain`, help, annotations, the reference, and suggestions for wrong
/// names. To add a setting, add an entry to the list of its group.
package struct Setting: Sendable {
  typealias Change = (inout Configuration) -> Void

  /// The form in which the object that is passed to settings functions provides the setting.
  enum Access: Sendable {
    /// As a field. Reading the field returns the value of the setting.
    case field
    /// As a field. Reading the field returns an object with which the setting can be changed.
    case object(@Sendable (Call, ConfigurationBox) -> LuaValue)
    /// As a method that adds to the setting.
    case method
  }

  /// The way in which `explain` shows the setting.
  enum Explanation: Sendable {
    /// Shows the value of the setting. A floating-point number is shown as seconds.
    case value
    case words(@Sendable (Configuration) -> String)
    /// Shows the number of script functions in the setting.
    case functions(@Sendable (Configuration) -> Int)
    /// Shows nothing, because the parts of the setting are shown separately.
    case parts
  }

  /// The name of the setting in scripts.
  package let name: String
  let documentation: SettingDocumentation
  let access: Access
  let explanation: Explanation
  /// Returns a number that is different for different values of the setting in this process. If the
  /// property is nil, the Lua values are compared instead.
  let fingerprint: (@Sendable (Configuration) -> Int)?
  /// Returns the value of the setting in a configuration. Returns nil if the setting is not set or
  /// can't be read.
  let value: @Sendable (Configuration) -> LuaValue?
  /// Checks a value from a script, and returns the change that the value makes to a configuration.
  /// The caller applies the changes later, in order. If the value is invalid, an error is raised at
  /// the line of the script.
  let change: @Sendable (GivenSetting) throws(Misuse) -> Change
  /// Removes the old value before an assignment. Only a setting to which a table of settings adds
  /// values needs this function. For other settings, it is nil.
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

  /// Creates a setting whose value is a field of `Configuration`.
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

  /// Creates a setting whose value is a network option of requests.
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
  /// All settings, in the order in which `explain` shows them.
  package static let all = basic + policies + network + processing

  package static let names = all.map(\.name)

  private static let places = Dictionary(
    uniqueKeysWithValues: all.enumerated().map { ($0.element.name, $0.offset) })

  static func named(_ name: String) -> Setting? { places[name].map { all[$0] } }

  /// The documentation of the members of the object that is passed to settings functions, in the
  /// order of the reference.
  static var propertyEntries: [APIEntry] {
    (basic + policies + processing + network).map { $0.documentation.property(called: $0.name) }
  }

  /// The documentation of the fields of tables of settings, in the order of the reference.
  static var fieldEntries: [APIEntry] {
    (basic + policies + processing + network).map { $0.documentation.field(called: $0.name) }
  }

  var isMethod: Bool { if case .method = access { true } else { false } }

  /// Returns the changes that a table of settings makes to a configuration. The table may also have
  /// the fields in `others`.
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

  /// Returns the value of the setting in a configuration as text. Returns nil if the setting is not
  /// set, or if `explain` does not show its value.
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

  /// The setting in the form in which `explain` shows it, with its Lua name. It is nil if the parts
  /// of the setting are shown separately.
  private var explained: ExplainedSetting? {
    switch explanation {
    case .value, .words:
      ExplainedSetting(name, off: "false", fingerprint: fingerprint(in:)) { words(in: $0) }
    case .functions(let count): ExplainedSetting(name, functions: count)
    case .parts: nil
    }
  }

  /// All settings in the form in which `explain` shows them, in order.
  package static let explained = all.compactMap(\.explained)

  /// Returns the number of script functions in the setting. Returns 0 if the setting has no
  /// functions.
  package func functionCount(in settings: Configuration) -> Int {
    if case .functions(let count) = explanation { count(settings) } else { 0 }
  }
}

extension LuaValue {
  fileprivate var words: String {
    if case .number = self { "\(explained()) s" } else { explained() }
  }

  /// Returns the value as a short text for display.
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
