/// A body as it goes out, made once for a request and its repetitions; files are looked at for each.
package enum EncodedBody {
  case bytes([UInt8], _ contentType: String)
  case secret(SecretBody)
  case file(UploadFile)
  case multipart(MultipartForm)

  /// Makes it the body of a request, and its type the request's; fails if a file cannot be read.
  package func put(into http: inout HTTPRequest) throws(TransportError) {
    switch self {
    case .bytes(let bytes, let contentType):
      http.headers["content-type"] = contentType
      http.body = bytes
    case .secret(let body):
      http.headers["content-type"] = body.contentType
      http.body = body.template.masked
      http.secrets = SecretUses(url: http.secrets?.url, body: body.template)
    case .file(let file):
      http.stream(try StreamedBody(file))
      http.headers["content-type"] = file.contentType
    case .multipart(let form):
      let (body, contentType) = try StreamedBody.form(form)
      http.stream(body)
      http.headers["content-type"] = contentType
      if form.hasSecrets { http.secrets = SecretUses(url: http.secrets?.url) }
    }
  }
}
