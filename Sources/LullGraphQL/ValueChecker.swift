import LullArguments

/// A variable in a value.
struct VariableUse {
  let name: String
  let start: Int
  /// The type of the place where it is used, if known.
  let type: GraphQLType?
  /// Whether the argument or field at the place has a default value.
  let hasDefault: Bool
  /// The input object with `@oneOf` whose field it is the value of.
  let oneOf: String?
}

/// Checks values, arguments and directives, in operations and in the definitions of a schema
/// (GQL-13, GQL-15). Collects the variables and the deprecated elements that they use (GQL-17).
struct ValueChecker {
  /// The longest name in bytes for which a similar name is searched.
  private static let longestComparedName = 100
  /// The longest message in bytes. Names and values of a document may be of any length.
  private static let longestMessage = 1000

  let schema: GraphQLSchema
  let source: SourceText
  /// The number of problems after which no more are recorded.
  let limit: Int
  private(set) var problems: [(start: Int, message: String)] = []
  private(set) var deprecations: [(start: Int, element: String, reason: String)] = []
  var variables: [VariableUse] = []

  init(_ schema: GraphQLSchema, _ source: SourceText, limit: Int) {
    self.schema = schema
    self.source = source
    self.limit = limit
  }

  mutating func report(_ message: String, at start: Int) {
    guard problems.count < limit else { return }
    let isLong = message.utf8.count > ValueChecker.longestMessage
    problems.append((start, isLong ? message.prefix(ValueChecker.longestMessage) + "…" : message))
  }

  /// A suggestion for an unknown name, to append to an error.
  func hint<Names: Sequence<String>>(
    for name: String, among candidates: @autoclosure () -> Names, prefix: String = ""
  ) -> String {
    guard problems.count < limit else { return "" }
    return ValueChecker.suggestion(for: name, among: candidates(), prefix: prefix)
  }

  /// Returns the text to append to an error about an unknown name. Empty if no candidate is near
  /// enough, or if the name is too long to be compared.
  ///
  /// - Parameter prefix: A sign before the name in the text, such as `$`.
  static func suggestion(
    for name: String, among candidates: some Sequence<String>, prefix: String = ""
  ) -> String {
    guard name.utf8.count <= longestComparedName else { return "" }
    let near = NearestName.suggestion(for: name, among: candidates)
    return near.map { " (did you mean '\(prefix)\($0)'?)" } ?? ""
  }

  mutating func recordDeprecation(_ reason: String?, of element: String, at start: Int) {
    if let reason { deprecations.append((start, element, reason)) }
  }

  /// The problems in the order of their places.
  var sortedProblems: [GraphQLProblem] {
    problems.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map { source.problem($0.element.message, at: $0.element.start) }
  }

  // MARK: Values

  /// Checks a value.
  ///
  /// - Parameters:
  ///   - type: nil if it is unknown. Then the parts are checked for themselves.
  ///   - hasDefault: Whether the argument or field has a default value.
  mutating func check(
    _ value: ValueNode, type: GraphQLType?, hasDefault: Bool = false, oneOf: String? = nil
  ) {
    switch (value.kind, type) {
    case (.variable(let name), _):
      variables.append(
        VariableUse(
          name: name, start: value.range.lowerBound, type: type, hasDefault: hasDefault,
          oneOf: oneOf))
    case (.null, .nonNull(let type)):
      report("expected a value of type '\(type)!', found null", at: value.range.lowerBound)
    case (_, .nonNull(let type)): check(value, type: type)
    case (.null, _): break
    case (.list(let items), .list(let itemType)):
      for item in items { check(item, type: itemType) }
    // A single value is a list of one item.
    case (_, .list(let itemType)): check(value, type: itemType)
    case (_, .named(let name)):
      guard let definition = schema.type(name), definition.isInput else {
        checkParts(value)
        return
      }
      check(value, definition)
    case (_, nil): checkParts(value)
    }
  }

  /// Checks a value of an unknown type or a custom scalar.
  private mutating func checkParts(_ value: ValueNode) {
    switch value.kind {
    case .list(let items): for item in items { check(item, type: nil) }
    case .object(let fields):
      checkUniqueNames(fields.map(\.name))
      for field in fields { check(field.value, type: nil) }
    default: break
    }
  }

  private mutating func check(_ value: ValueNode, _ type: GraphQLSchema.TypeDefinition) {
    let start = value.range.lowerBound
    switch type.kind {
    case .enum:
      guard case .enum(let name) = value.kind else { return reportValue(value, type.name) }
      guard let known = type.value(name) else {
        let hint = hint(for: name, among: type.values.lazy.map(\.name))
        return report("unknown value '\(name)' of enum '\(type.name)'\(hint)", at: start)
      }
      recordDeprecation(
        known.deprecationReason, of: "enum value '\(type.name).\(name)'", at: start)
    case .inputObject:
      guard case .object(let fields) = value.kind else { return reportValue(value, type.name) }
      check(fields, of: value, type)
    default:
      if ValueChecker.isScalar(value, type.name) == false {
        reportValue(value, type.name)
      } else {
        checkParts(value)
      }
    }
  }

  private mutating func reportValue(_ value: ValueNode, _ type: String) {
    checkParts(value)
    report("expected a value of type '\(type)', found \(found(value))", at: value.range.lowerBound)
  }

  /// Whether a value is one of a built-in scalar; nil for another scalar, which may have any.
  private static func isScalar(_ value: ValueNode, _ type: String) -> Bool? {
    switch (type, value.kind) {
    case ("Int", .int(let text)): Int32(text) != nil
    case ("Float", .int), ("Float", .float), ("String", .string), ("Boolean", .boolean),
      ("ID", .string), ("ID", .int):
      true
    default: BuiltIns.scalarNames.contains(type) ? false : nil
    }
  }

  private func found(_ value: ValueNode) -> String {
    switch value.kind {
    case .list: return "a list"
    case .object: return "an object"
    default:
      let longest = 60
      let text = source.text(
        value.range.lowerBound..<min(value.range.upperBound, value.range.lowerBound + longest))
      return value.range.count > longest ? "\(text)…" : text
    }
  }

  private mutating func check(
    _ fields: [ObjectFieldNode], of value: ValueNode, _ type: GraphQLSchema.TypeDefinition
  ) {
    let start = value.range.lowerBound
    checkUniqueNames(fields.map(\.name))
    let given = Set(fields.map(\.name.text))
    for field in type.inputFields where field.isRequired && !given.contains(field.name) {
      report(
        "the field '\(field.name)' of type '\(field.type)' is missing in '\(type.name)'", at: start)
    }
    var known: [ObjectFieldNode] = []
    for field in fields {
      guard let definition = type.inputField(field.name.text) else {
        let hint = hint(
          for: field.name.text, among: type.inputFields.lazy.map(\.name))
        report(
          "unknown field '\(field.name.text)' of input object '\(type.name)'\(hint)",
          at: field.name.start)
        check(field.value, type: nil)
        continue
      }
      known.append(field)
      recordDeprecation(
        definition.deprecationReason, of: "input field '\(type.name).\(definition.name)'",
        at: field.name.start)
      check(
        field.value, type: definition.type, hasDefault: definition.defaultValue != nil,
        oneOf: type.isOneOf ? type.name : nil)
    }
    if type.isOneOf, known.count != 1 || known[0].value.isNull {
      report("'\(type.name)' needs exactly one field with a value other than null", at: start)
    }
  }

  private mutating func checkUniqueNames(_ names: [NameNode]) {
    guard names.count > 1 else { return }
    var first: [String: Int] = [:]
    for name in names {
      guard let start = first[name.text] else {
        first[name.text] = name.start
        continue
      }
      report(
        "the field '\(name.text)' is given twice, again on line \(source.line(of: name.start))",
        at: start)
    }
  }

  // MARK: Arguments

  /// Checks the arguments of a field or directive.
  ///
  /// - Parameters:
  ///   - definitions: nil if the field or directive is unknown.
  ///   - element: The owner of the arguments, such as "field 'Query.user'".
  mutating func check(
    _ arguments: [ArgumentNode], of definitions: [GraphQLSchema.InputValue]?,
    element: @autoclosure () -> String, at start: Int
  ) {
    if arguments.count > 1 {
      let groups = Dictionary(grouping: arguments, by: \.name.text)
      for group in groups.values where group.count > 1 {
        let again = source.line(of: group[1].name.start)
        report(
          "the argument '\(group[0].name.text)' is given twice, again on line \(again)",
          at: group[0].name.start)
      }
    }
    guard let definitions else {
      for argument in arguments { check(argument.value, type: nil) }
      return
    }
    for argument in arguments {
      let name = argument.name.text
      guard let definition = definitions.first(where: { $0.name == name }) else {
        let hint = hint(for: name, among: definitions.lazy.map(\.name))
        report("unknown argument '\(name)' of \(element())\(hint)", at: argument.name.start)
        check(argument.value, type: nil)
        continue
      }
      if definition.deprecationReason != nil {
        recordDeprecation(
          definition.deprecationReason, of: "argument '\(name)' of \(element())",
          at: argument.name.start)
      }
      check(
        argument.value, type: definition.type, hasDefault: definition.defaultValue != nil)
    }
    for definition in definitions where definition.isRequired {
      guard !arguments.contains(where: { $0.name.text == definition.name }) else { continue }
      report(
        "the argument '\(definition.name)' of type '\(definition.type)' is missing in "
          + element(), at: start)
    }
  }

  // MARK: Directives

  /// Checks the directives at a location.
  ///
  /// - Parameter used: The directives of earlier definitions of the same element, by name.
  mutating func check(
    _ directives: [DirectiveNode], at location: GraphQLSchema.DirectiveLocation,
    used: inout [String: Int]
  ) {
    for directive in directives {
      let name = directive.name.text
      let start = directive.range.lowerBound
      let definition = schema.directive(name)
      if let definition {
        if !definition.locations.contains(location) {
          report("the directive '@\(name)' is not allowed on \(location.rawValue)", at: start)
        }
        if !definition.isRepeatable {
          if let first = used[name] {
            report(
              "the directive '@\(name)' is used twice, again on line \(source.line(of: start))",
              at: first)
          } else {
            used[name] = start
          }
        }
      } else {
        let hint = hint(for: name, among: schema.directives.lazy.map(\.name), prefix: "@")
        report("unknown directive '@\(name)'\(hint)", at: start)
      }
      check(
        directive.arguments, of: definition?.arguments, element: "directive '@\(name)'", at: start)
    }
  }

  mutating func check(
    _ directives: [DirectiveNode], at location: GraphQLSchema.DirectiveLocation
  ) {
    guard !directives.isEmpty else { return }
    var used: [String: Int] = [:]
    check(directives, at: location, used: &used)
  }
}
