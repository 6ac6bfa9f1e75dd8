import LullClients
import LullCore

/// The body of a request, parsed in the form that the call declares.
enum RequestContent {
  case none
  case json(JSONElement)
  case form([EscapedPair])
  case multipart([MultipartBody.Part])
  case raw([UInt8])

  init(_ request: MockRequest, _ call: APICall) throws(Problem) {
    let isRaw = call.bodyForm == .raw || call.wholeParameter?.kind == .file
    guard !request.body.isEmpty else {
      self = .none
      return
    }
    switch call.bodyForm {
    case _ where isRaw: self = .raw(request.body)
    case .raw: self = .none
    case .form:
      let type = request.header("content-type")?.lowercased() ?? ""
      guard type.isEmpty || type.hasPrefix("application/x-www-form-urlencoded"),
        let text = String(validating: request.body, as: UTF8.self)
      else {
        throw Problem(
          415, "the call takes a form, application/x-www-form-urlencoded, as its body")
      }
      self = .form(EscapedPair.all(in: text))
    case .multipart:
      guard
        let form = MultipartBody(
          request.body, contentType: request.header("content-type") ?? "")
      else { throw Problem(415, "the call takes a form, multipart/form-data, as its body") }
      self = .multipart(form.parts)
    case .json:
      do throws(JSONError) {
        self = .json(try JSONDocument(parsing: request.body).root)
      } catch {
        let type = request.header("content-type")?.lowercased() ?? ""
        let isForm =
          type.hasPrefix("application/x-www-form-urlencoded") || type.hasPrefix("multipart/")
        // Clients such as curl send that type by default.
        guard !isForm || "{[".utf8.contains(request.body.first ?? 0) else {
          throw Problem(
            415,
            "the call takes a JSON body, but this is a form: send application/json, or "
              + "declare the call with body = \"form\"")
        }
        throw Problem(400, "the body is not JSON: \(error)")
      }
      guard call.wholeParameter == nil, case .json(let root) = self else { return }
      guard root.kind == .object else {
        throw Problem(400, "the body must be a JSON object with the parameters of the call")
      }
      guard call.graphQL != nil else { return }
      guard let variables = root["variables"], !variables.isNull else {
        self = .none
        return
      }
      guard variables.kind == .object else {
        throw Problem(400, "the variables must be a JSON object")
      }
      self = .json(variables)
    }
  }
}
