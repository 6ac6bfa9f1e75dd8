import LullCore

extension HARFile {
  /// The file as JSON, over several lines, in one order: what is recorded again and has not changed gives the
  /// same bytes but for its times.
  ///
  /// Bodies and headers that are no UTF-8 are base64: a response's as the format has it, others in a
  /// member of our own.
  package func encoded() -> [UInt8] {
    var writer = HARWriter()
    writer.write(self)
    return writer.output
  }
}

private struct HARWriter: ~Copyable {
  private var json = JSONWriter(pretty: true)

  var output: [UInt8] { json.output + [10] }

  mutating func write(_ file: HARFile) {
    json.begin("{")
    json.write(key: "log")
    json.begin("{")
    string("version", "1.2")
    json.write(key: "creator")
    json.begin("{")
    string("name", file.creator.name)
    string("version", file.creator.version)
    json.end("}")
    json.write(key: "entries")
    json.begin("[")
    for entry in file.entries { write(entry) }
    json.end("]")
    json.end("}")
    json.end("}")
  }

  private mutating func write(_ entry: HAREntry) {
    json.begin("{")
    string("startedDateTime", ISODate.text(of: entry.started, digits: 3))
    number("time", entry.milliseconds)
    json.write(key: "request")
    write(entry.request)
    json.write(key: "response")
    // As browsers write one that has not come.
    write(entry.response ?? HARResponse(status: 0))
    json.write(key: "cache")
    json.begin("{")
    json.end("}")
    json.write(key: "timings")
    json.begin("{")
    number("send", 0)
    number("wait", entry.milliseconds)
    number("receive", 0)
    json.end("}")
    if let failure = entry.failure {
      json.write(key: "_failure")
      json.begin("{")
      string("kind", failure.kind)
      string("message", failure.message)
      if failure.isUnsent {
        json.write(key: "unsent")
        json.write(true)
      }
      json.end("}")
    }
    json.end("}")
  }

  private mutating func write(_ request: HARRequest) {
    json.begin("{")
    string("method", request.method)
    string("url", request.url)
    string("httpVersion", "HTTP/1.1")
    emptyList("cookies")
    write(request.headers)
    write(queryOf: request.url)
    if let body = request.body {
      json.write(key: "postData")
      json.begin("{")
      string("mimeType", body.type)
      write(body.bytes, encodingName: "_encoding")
      json.end("}")
    }
    integer("headersSize", -1)
    integer("bodySize", request.body?.bytes.count ?? 0)
    if let environment = request.environment { string("_environment", environment) }
    json.end("}")
  }

  private mutating func write(_ response: HARResponse) {
    json.begin("{")
    integer("status", response.status)
    string("statusText", response.status == 0 ? "" : StatusPhrase.text(for: response.status))
    string("httpVersion", "HTTP/1.1")
    emptyList("cookies")
    write(response.headers)
    json.write(key: "content")
    json.begin("{")
    integer("size", response.body?.bytes.count ?? 0)
    string("mimeType", response.body?.type ?? "")
    if let body = response.body { write(body.bytes, encodingName: "encoding") }
    json.end("}")
    string("redirectURL", "")
    integer("headersSize", -1)
    integer("bodySize", -1)
    if let url = response.finalURL { string("_finalURL", url) }
    json.end("}")
  }

  private mutating func write(_ headers: [HARHeader]) {
    json.write(key: "headers")
    json.begin("[")
    for header in headers {
      json.begin("{")
      string("name", header.name)
      string("value", String(escaping: header.value))
      if String(validating: header.value, as: UTF8.self) == nil {
        string("_base64", base64(header.value))
      }
      json.end("}")
    }
    json.end("]")
  }

  /// For those who read the file; we read the URL.
  private mutating func write(queryOf url: String) {
    json.write(key: "queryString")
    json.begin("[")
    for (name, value) in RecordedURL(url).parameters {
      json.begin("{")
      string("name", name)
      string("value", value)
      json.end("}")
    }
    json.end("]")
  }

  private mutating func write(_ body: [UInt8], encodingName: String) {
    if let text = String(validating: body, as: UTF8.self) {
      string("text", text)
    } else {
      string("text", base64(body))
      string(encodingName, "base64")
    }
  }

  private func base64(_ bytes: [UInt8]) -> String {
    String(decoding: Base64.encode(bytes), as: UTF8.self)
  }

  private mutating func string(_ key: String, _ value: String) {
    json.write(key: key)
    json.write(value)
  }

  private mutating func integer(_ key: String, _ value: Int) {
    json.write(key: key)
    json.write(value)
  }

  /// Whole ones without a fraction.
  private mutating func number(_ key: String, _ value: Double) {
    json.write(key: key)
    if let whole = Int(exactly: value) { json.write(whole) } else { json.write(value) }
  }

  private mutating func emptyList(_ key: String) {
    json.write(key: key)
    json.begin("[")
    json.end("]")
  }
}
