import LullArguments
import LullCore
import LullHost
import LullLuaSource

/// Determines the locations of a call's parameters, and rejects settings that have no effect in a
/// location.
extension APIDeclaration {
  /// Returns the parameters with their locations. Path parameters come first, in path order, and
  /// are required. The others follow in file order, or sorted by name if the source does not show
  /// their order.
  func arranged(_ declared: [DeclaredParameter], of call: APICall, at: [String])
    throws(APIFileProblem) -> [CallParameter]
  {
    let positions =
      if call.graphQL != nil {
        // Variables are in the order of the operation.
        Dictionary(declared.enumerated().map { ($1.parameter.name, $0) }) { first, _ in first }
      } else if declared.count > 1 {
        text.layout.parameters(of: call.name)?.positions ?? [:]
      } else {
        [String: Int]()
      }
    var rest = declared.sorted { one, other in
      (positions[one.parameter.name] ?? .max, one.parameter.name)
        < (positions[other.parameter.name] ?? .max, other.parameter.name)
    }
    var arranged: [CallParameter] = []
    func place(_ one: DeclaredParameter, in place: CallParameter.Place) throws(APIFileProblem) {
      do throws(PlaceProblem) {
        arranged.append(try self.parameter(one, in: place, of: call, beside: declared))
      } catch {
        let name = one.parameter.name
        let problem = problem(
          at + ["params", name] + (error.key.map { [$0] } ?? []),
          "call '\(call.name)': parameter '\(name)' \(error.text)")
        if !note(problem) { throw problem }
      }
    }
    for name in APICall.names(inPath: call.path) {
      let position = position(ofPlaceholder: name, in: rest)
      if position == nil {
        if let other = rest.first(where: { $0.parameter.name == name }), let place = other.place {
          throw problem(
            at + ["params", name, "place"],
            "call '\(call.name)': its path has the parameter '\(name)', but 'params' puts it in "
              + "\(place.described): for two parameters use two keys, one with name = \"\(name)\"")
        }
        checker?.note(
          "call '\(call.name)': its path has the parameter '\(name)', which 'params' does not declare",
          at: SourcePlace(file: path, line: places.line(of: at + ["path"])))
      }
      var one =
        position.map { rest.remove(at: $0) }
        ?? DeclaredParameter(parameter: CallParameter(name: name))
      one.parameter.placeholder = name
      one.parameter.isRequired = one.parameter.standard == nil
      try place(one, in: .path)
    }
    for one in rest {
      try place(
        one, in: one.place ?? (call.usuallyHasBody || one.parameter.isWhole ? .body : .query))
    }
    return arranged
  }

  private func position(ofPlaceholder name: String, in rest: [DeclaredParameter]) -> Int? {
    rest.firstIndex { $0.parameter.name == name && ($0.place ?? .path) == .path }
      ?? rest.firstIndex { $0.wireName == name && $0.place == .path }
  }

  private struct PlaceProblem: Error {
    /// The name of the setting that is wrong.
    var key: String?
    var text: String

    init(_ key: String? = nil, _ text: String) {
      self.key = key
      self.text = text
    }
  }

  /// Returns a parameter in its location, with the defaults of that location.
  private func parameter(
    _ declared: DeclaredParameter, in place: CallParameter.Place, of call: APICall,
    beside all: [DeclaredParameter]
  ) throws(PlaceProblem) -> CallParameter {
    var parameter = declared.parameter
    parameter.place = place
    parameter.wireName = declared.wireName ?? parameter.name
    if place == .path, !APICall.names(inPath: call.path).contains(parameter.placeholder) {
      throw PlaceProblem(
        "place", "has place = \"path\", but the path has no {\(parameter.placeholder)}")
    }
    try checkKind(parameter, of: call)
    if parameter.isWhole { try checkWhole(declared, in: place, of: call, beside: all) }
    let isForm = place != .body || call.bodyForm == .form
    let isSingle = !parameter.isList && parameter.kind != .object
    let isDeep = declared.style == .deepObject && [.query, .body].contains(place)
    guard isForm, parameter.kind != .json || isDeep else {
      // The encoding can't be chosen, so reject the settings for it.
      let what = parameter.kind == .json ? "JSON" : "part of a body that is not a form"
      for (key, isGiven) in [
        ("style", declared.style != nil), ("explode", declared.explodes != nil),
        ("reserved", parameter.keepsReserved),
      ] where isGiven {
        let other =
          isForm && key == "style" && parameter.place != .cookie && parameter.place != .header
          ? ", except \"deepObject\"" : ""
        throw PlaceProblem(key, "is \(what), where '\(key)' has no effect\(other)")
      }
      try checkNames(parameter)
      return parameter
    }
    let styles = ParameterStyle.styles(in: place)
    parameter.style = declared.style ?? styles[0]
    guard styles.contains(parameter.style) else {
      throw PlaceProblem(
        "style",
        "is in \(place.described), where the style cannot be \"\(parameter.style.rawValue)\", only "
          + WordList.text(styles.map(\.rawValue)))
    }
    if isSingle, parameter.kind != .json, parameter.style.needsParts {
      throw PlaceProblem(
        "style",
        "has a single value: \"\(parameter.style.rawValue)\" is a style for lists and objects")
    }
    parameter.explodes = declared.explodes ?? parameter.style.explodes
    if parameter.style == .deepObject, !parameter.explodes {
      throw PlaceProblem(
        "explode", "has the style \"deepObject\", which needs explode = true")
    }
    if parameter.style.needsParts, parameter.style != .deepObject, parameter.explodes,
      parameter.kind == .object
    {
      throw PlaceProblem(
        "explode",
        "is an object with the style \"\(parameter.style.rawValue)\", which cannot explode")
    }
    if place == .header, parameter.keepsReserved {
      throw PlaceProblem(
        "reserved", "is in a header, where nothing is escaped: 'reserved' has no effect")
    }
    if case .json? = parameter.standard, parameter.kind == .object, !isDeep {
      throw PlaceProblem(
        "default",
        "cannot have lists or tables as fields in \(place.described)")
    }
    try checkNames(parameter)
    return parameter
  }

  /// Checks that the location of a parameter allows values of its type.
  private func checkKind(_ parameter: CallParameter, of call: APICall) throws(PlaceProblem) {
    let isPart = parameter.place == .body
    switch parameter.kind {
    case .json where parameter.place == .path:
      throw PlaceProblem("type", "cannot be JSON: it is in the path")
    case .json where parameter.isList:
      guard isPart, call.bodyForm == .json || call.bodyForm == .multipart else {
        throw PlaceProblem(
          "type",
          "cannot be a list of JSON in \(parameter.place.described): use \"json\", which allows "
            + "lists"
        )
      }
    case .object where parameter.isList:
      throw PlaceProblem("type", "cannot be a list of objects: use \"json\"")
    case .file:
      guard isPart, parameter.isWhole || call.bodyForm == .multipart else {
        throw PlaceProblem(
          "type",
          "is a file, which needs body = \"multipart\", or whole = true to be the whole body")
      }
    default: break
    }
    if isPart, call.bodyForm == .raw, !parameter.isWhole {
      throw PlaceProblem(
        nil, "is in the body, but body = \"raw\" takes only one parameter, with whole = true")
    }
  }

  private func checkWhole(
    _ declared: DeclaredParameter, in place: CallParameter.Place, of call: APICall,
    beside all: [DeclaredParameter]
  ) throws(PlaceProblem) {
    guard place == .body else {
      throw PlaceProblem("place", "is the whole body and cannot be in \(place.described)")
    }
    guard call.bodyForm == .json || call.bodyForm == .raw else {
      throw PlaceProblem(
        "whole",
        "cannot be the whole body: body = \"\(call.bodyForm.rawValue)\" has named fields")
    }
    if declared.wireName != nil {
      throw PlaceProblem("name", "is the whole body, where 'name' has no effect")
    }
    guard call.bodyForm == .json || !declared.parameter.isList && declared.parameter.kind != .object
    else {
      throw PlaceProblem("type", "is a raw body, which must be text, JSON or a file")
    }
    if declared.parameter.isList, declared.parameter.kind == .file {
      throw PlaceProblem("type", "is the whole body, which must be a single file")
    }
    let other = all.first { other in
      other.parameter.name != declared.parameter.name
        && !APICall.names(inPath: call.path).contains(other.parameter.name)
        && (other.place ?? (call.usuallyHasBody || other.parameter.isWhole ? .body : .query))
          == .body
    }
    if let other {
      throw PlaceProblem(
        "whole", "is the whole body, but '\(other.parameter.name)' is in the body too")
    }
  }

  /// Checks that the parameter's name is valid in its location.
  private func checkNames(_ parameter: CallParameter) throws(PlaceProblem) {
    guard [.header, .cookie].contains(parameter.place), !Headers.isName(parameter.wireName) else {
      return
    }
    let what = parameter.place == .header ? "header" : "cookie"
    throw PlaceProblem(
      "name",
      "is in \(parameter.place.described), but '\(LogText.part(parameter.wireName, limit: 80))' "
        + "is not a valid \(what) name")
  }

  /// Rejects two parameters that have the same name in the request.
  func checkWireNames(_ parameters: [CallParameter], of call: APICall, at: [String])
    throws(APIFileProblem)
  {
    var seen: [String: String] = [:]
    for parameter in parameters where parameter.place != .path && !parameter.isWhole {
      let name =
        parameter.place == .header ? parameter.wireName.lowercased() : parameter.wireName
      let key = parameter.place.rawValue + " " + name
      guard let other = seen[key] else {
        seen[key] = parameter.name
        continue
      }
      let problem = problem(
        at + ["params", parameter.name, "name"],
        "call '\(call.name)': parameters '\(other)' and '\(parameter.name)' are both "
          + "'\(parameter.wireName)' in \(parameter.place.described)")
      if !note(problem) { throw problem }
    }
  }
}
