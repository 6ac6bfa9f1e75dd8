import LullArguments
package import LullCore
package import LullHost

/// A call declared in an API file: its request and its parameters.
package struct APICall {
  package enum BodyForm: String, CaseIterable {
    case json
    case form
    /// A form whose values may be files.
    case multipart
    /// A single parameter that is sent unchanged as the body.
    case raw
  }

  package var name: String
  /// The path, with `{name}` for a parameter. It may have a query.
  package var path = ""
  package var method = RequestMethod.get
  package var description: String?
  /// The parameters. Path parameters come first, in path order. The others follow in file order.
  package var parameters: [CallParameter] = []
  package var columns: [String] = []
  /// The path of the rows in the response, as field names separated by dots. nil if the whole
  /// response is the rows.
  package var rows: String?
  /// How the response is parsed. nil: according to its Content-Type.
  package var responseType: ResponseType?
  package var headers = RequestHeaders()
  package var bodyForm = BodyForm.json
  /// The content type of the body. nil: the usual type of the body form.
  package var contentType: String?
  /// Whether a request without any body field still has a body, which is an empty object or form.
  package var requiresBody = false
  /// Whether a POST is declared to change nothing on the server.
  package var isSafe = false
  /// Whether the file names the method of a GraphQL call. Otherwise the setting `query_method`
  /// applies.
  var choosesMethod = false
  /// The GraphQL operation that the call sends; nil for other calls.
  package internal(set) var graphQL: GraphQLCall?
  /// How the response is paged. nil if the response is not paged.
  var pages: LuaPages.Options?
  /// The schema of the responses, if the API file itself declares it.
  package internal(set) var schema: CallSchema?
  /// The responses that `lull mock` sends for the call.
  package var mock = CallMock()

  /// Whether the responses of this call are the responses of a query resource. (QUERY-30)
  package var isQuery: Bool { method == .query || method == .post && isSafe }

  /// The method whose settings apply to the requests of this call. (QUERY-08)
  package var configuredMethod: RequestMethod { isQuery ? .query : method }

  package var hasPages: Bool { pages != nil }

  /// Whether a parameter without a declared location belongs to the body.
  var usuallyHasBody: Bool { ![.get, .head, .delete, .options].contains(method) }

  /// Whether a request of the call may have a body.
  package var hasBody: Bool {
    usuallyHasBody || requiresBody || parameters.contains { $0.place == .body }
  }

  /// The parameter that is the whole body, if there is one.
  package var wholeParameter: CallParameter? { parameters.first(where: \.isWhole) }

  /// Returns the names in braces in a path, in order and without duplicates.
  static func names(inPath path: String) -> [String] {
    var names: [String] = []
    var rest = path[...]
    while let open = rest.firstIndex(of: "{") {
      let inside = rest[rest.index(after: open)...]
      guard let close = inside.firstIndex(of: "}") else { break }
      let name = String(inside[..<close])
      if !name.isEmpty, !names.contains(name) { names.append(name) }
      rest = inside[inside.index(after: close)...]
    }
    return names
  }

  /// Returns the error in the placeholders of a path; nil if they are valid.
  static func problem(withPlacesIn path: String) -> String? {
    let hint = "; write a literal brace as %7B or %7D"
    var open: String?
    for character in path {
      switch (character, open) {
      case ("{", nil): open = ""
      case ("{", let name?): return "its path has a '{' inside of '{\(name)'" + hint
      case ("}", nil): return "its path has a '}' that no '{' opens" + hint
      case ("}", ""): return "its path has '{}', a parameter without a name"
      case ("}", let name?):
        guard APIDeclaration.isName(name) else {
          return "its path has the parameter '\(name)': parameters have names of letters, digits, "
            + "'_', '-' and '.'"
        }
        open = nil
      default: open?.append(character)
      }
    }
    return open == nil ? nil : "its path has a '{' that no '}' closes" + hint
  }

  /// Returns the option names of the parameters, for a command line with its own options. The
  /// command line's options always keep their names. A parameter whose name is already taken gets
  /// another option name.
  package func options(beside taken: Set<String>) -> [String] {
    let wanted = parameters.map(\.option)
    var used = taken.union(wanted)
    return zip(parameters, wanted).map { parameter, option in
      // `per_page` and `per-page` would be the same option.
      var option = wanted.count { $0 == option } > 1 ? "--" + parameter.name : option
      guard taken.contains(option) else { return option }
      repeat { option = "--param-" + option.dropFirst(2) } while !used.insert(option).inserted
      return option
    }
  }

  /// An error in the values given for a call.
  package struct Misfit: Error {
    package let message: String

    package init(message: String) { self.message = message }
  }

  /// Checks the given values. Returns the values of all parameters, with defaults for parameters
  /// that are not given.
  package func complete(_ given: [String: CallValue]) throws(Misfit) -> [String: CallValue] {
    for name in given.keys.sorted() where !parameters.contains(where: { $0.name == name }) {
      throw unknown(name)
    }
    var values = given
    for parameter in parameters where values[parameter.name] == nil {
      if let standard = parameter.standard {
        values[parameter.name] = standard
      } else if parameter.isRequired {
        throw Misfit(
          message: "call '\(name)' needs the parameter '\(parameter.name)'; \(parameterList)")
      }
    }
    return values
  }

  func unknown(_ parameter: String) -> Misfit {
    let near = NearestName.suggestion(for: parameter, among: parameters.map(\.name))
    return Misfit(
      message: "call '\(name)' has no parameter '\(parameter)'"
        + (near.map { " (did you mean '\($0)'?)" } ?? "; \(parameterList)"))
  }

  /// The list of parameters for messages.
  private var parameterList: String {
    guard !parameters.isEmpty else { return "it has none" }
    let names = parameters.map { $0.isRequired ? $0.name : "[\($0.name)]" }
    return "it has \(names.joined(separator: ", "))"
  }
}

extension APICall {
  /// A description of how the response is paged. nil if the response is not paged.
  package var pagesText: String? {
    guard let pages else { return nil }
    var words: [String] = []
    if pages.relay != nil { words.append("relay") }
    switch pages.next {
    case .automatic: words.append("true")
    case .link: words.append("link")
    case .field(let field): words.append("next '\(field.text)'")
    case .asked: words.append("a function")
    case .cursor where pages.relay != nil: break
    case .cursor(let cursor):
      let items = cursor.items.map { " of the last element of '\($0.text)'" } ?? ""
      let more = cursor.more.map { ", while '\($0.text)' is true" } ?? ""
      words.append("cursor '\(cursor.parameter)' of '\(cursor.field.text)'\(items)\(more)")
    case .numbered(let parameter, let first, let step, let items):
      words.append("'\(parameter)' from \(first) by \(step), items '\(items.text)'")
    case .offset(let parameter, let first, let items):
      words.append("offset '\(parameter)' from \(first), items '\(items.text)'")
    }
    if let max = pages.max { words.append("max \(max)") }
    if pages.allowsOtherOrigins { words.append("other origins too") }
    return words.joined(separator: ", ")
  }

  /// Whether a function of the API file returns the next page.
  package var asksForPages: Bool { if case .asked? = pages?.next { true } else { false } }

  /// The place where the function that returns the next page is defined. nil if there is no such
  /// function, or if it has been collected.
  package var pagesDefinition: TraceFrame? { pages?.definition }
}

/// Content as a command prints it.
package enum CallContent {
  case json(JSONElement)
  case text(String)
  case bytes([UInt8])

  /// Converts content without a filter.
  package init(
    _ content: Content, of service: Service, in host: LuaHost
  ) throws(ContentFilter.Problem) {
    self =
      switch content {
      case .json(let document): .json(document.root)
      case .text(let text): .text(text)
      case .bytes(let bytes): .bytes(bytes)
      case .value(let value): .text(String(describing: value))
      case .foreign:
        .json(try ContentFilter(host, nil).document(of: content, service: service).root)
      }
  }
}
