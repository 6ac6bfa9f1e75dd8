import LullCore
import LullHost

/// Encodes the body of a call from the values of its parameters.
struct CallBody {
  typealias Field = (parameter: CallParameter, value: CallValue)

  private let call: APICall
  private let fields: [Field]

  /// - Parameter fields: the body parameters with their values, in order.
  init(_ call: APICall, _ fields: [Field]) {
    self.call = call
    self.fields = fields
  }

  /// Returns the body. Without any field, the result is nil, unless the call requires a body.
  func body() throws(APICall.Misfit) -> RequestBody? {
    if let graphQL = call.graphQL { return self.graphQL(graphQL) }
    if let whole = fields.first(where: \.parameter.isWhole) { return self.whole(whole.value) }
    // A query without fields still has content: it identifies the resource.
    guard !fields.isEmpty || call.requiresBody || call.isQuery else { return nil }
    switch call.bodyForm {
    case .json: return json
    case .form: return try form()
    case .multipart: return multipart
    case .raw: return nil
    }
  }

  private var hasSecrets: Bool { fields.contains(where: \.value.isSecret) }
  private var jsonType: String { call.contentType ?? "application/json" }

  // MARK: Whole bodies

  private func whole(_ value: CallValue) -> RequestBody {
    if case .file(let file) = value {
      let type = call.contentType ?? (call.bodyForm == .json ? jsonType : file.contentType)
      return .file(UploadFile(file.path, contentType: type))
    }
    if call.bodyForm == .json {
      if case .secret(let text) = value {
        var template = SecretTemplate()
        CallBody.append(text, to: &template)
        return .secret(SecretBody(template, contentType: jsonType))
      }
      return .json(value.jsonText, contentType: jsonType)
    }
    let type = call.contentType ?? "text/plain; charset=utf-8"
    if case .secret(let text) = value {
      var template = SecretTemplate()
      template.append(text, .verbatim)
      return .secret(SecretBody(template, contentType: type))
    }
    if case .json(let bytes) = value {
      return .data(bytes, contentType: call.contentType ?? "application/json")
    }
    return .data(Array(value.text.utf8), contentType: type)
  }

  // MARK: JSON

  /// Appends a secret as a JSON string.
  private static func append(_ text: SecretText, to template: inout SecretTemplate) {
    template.append([UInt8(ascii: "\"")])
    template.append(text, .json)
    template.append([UInt8(ascii: "\"")])
  }

  private var json: RequestBody {
    guard hasSecrets else { return .json(members, contentType: jsonType) }
    var template = SecretTemplate()
    append(to: &template)
    return .secret(SecretBody(template, contentType: jsonType))
  }

  /// The operation with the values of its variables. (GraphQL over HTTP, section "JSON Encoding")
  private func graphQL(_ graphQL: GraphQLCall) -> RequestBody {
    let variables = Array(",\"variables\":".utf8)
    guard hasSecrets else {
      let rest = fields.isEmpty ? [] : variables + members
      return .json(graphQL.head + rest + Array("}".utf8), contentType: jsonType)
    }
    var template = SecretTemplate()
    template.append(graphQL.head + variables)
    append(to: &template)
    template.append([UInt8(ascii: "}")])
    return .secret(SecretBody(template, contentType: jsonType))
  }

  /// The fields as a JSON object.
  private var members: [UInt8] {
    CallValue.object(fields.map { CallValue.Member($0.parameter.wireName, $0.value) }).jsonText
  }

  /// Appends the fields as a JSON object.
  private func append(to template: inout SecretTemplate) {
    for (position, (parameter, value)) in fields.enumerated() {
      template.append([UInt8(ascii: position == 0 ? "{" : ",")])
      template.append(CallValue.string(parameter.wireName).jsonText + [UInt8(ascii: ":")])
      if case .secret(let text) = value {
        CallBody.append(text, to: &template)
      } else {
        template.append(value.jsonText)
      }
    }
    template.append([UInt8(ascii: "}")])
  }

  // MARK: Forms

  /// Returns a form with the pairs in parameter order.
  private func form() throws(APICall.Misfit) -> RequestBody {
    let isPlain = fields.allSatisfy { field in
      field.value.isSingle && !field.value.isNested(in: field.parameter)
        && !field.parameter.keepsReserved
    }
    var template = SecretTemplate()
    func append(_ name: String) {
      if !template.masked.isEmpty { template.append("&".utf8) }
      template.append("\(name)=".utf8)
    }
    for (parameter, value) in fields {
      // Escape the pair as in other forms. (REQ-17)
      if isPlain {
        append(
          String(decoding: SecretEscaping.form.escaped(parameter.wireName.utf8), as: UTF8.self))
        template.append(value.secretText, .form)
        continue
      }
      if case .secret(let text) = value {
        append(ParameterEscapes.strict.escaped(parameter.wireName))
        template.append(text, .form)
        continue
      }
      for (name, text) in try StyledValue(parameter, value, of: call).pairs() {
        append(name)
        template.append(text.utf8)
      }
    }
    let type = "application/x-www-form-urlencoded"
    guard hasSecrets else { return .data(template.masked, contentType: type) }
    return .secret(SecretBody(template, contentType: type))
  }

  /// A multipart form with a part for each value. A list has a part for each element.
  private var multipart: RequestBody {
    var parts: [MultipartForm.Part] = []
    for (parameter, value) in fields {
      if case .list(let elements) = value {
        parts += elements.map { CallBody.part(parameter.wireName, $0) }
      } else {
        parts.append(CallBody.part(parameter.wireName, value))
      }
    }
    return .multipart(MultipartForm(parts))
  }

  private static func part(_ name: String, _ value: CallValue) -> MultipartForm.Part {
    switch value {
    case .file(let file): MultipartForm.Part(name, file)
    case .secret(let text): MultipartForm.Part(name, text)
    case .json, .object: MultipartForm.Part(name, value.jsonText, contentType: "application/json")
    default: MultipartForm.Part(name, value.text)
    }
  }
}
