import LullCore

extension HARFile {
  /// Returns the recording as JSON on several lines. The order of the members is fixed: if the same
  /// exchanges are recorded again, only the times differ.
  ///
  /// Bodies and headers that are not UTF-8 are encoded in base64. For a response body, the HAR
  /// format has a member that declares this encoding. For other values, Lull adds such a member.
  package func encoded() -> [UInt8] {
    var json = JSONWriter(pretty: true)
    json.write(self)
    return json.output + [10]
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ file: HARFile) {
    writeObject { json in
      json.writeObject(key: "log") { json in
        json.write(key: "version", "1.2")
        json.writeObject(key: "creator") { json in
          json.write(key: "name", file.creator.name)
          json.write(key: "version", file.creator.version)
        }
        json.writeList(key: "entries") { for entry in file.entries { $0.write(entry) } }
      }
    }
  }

  private mutating func write(_ entry: HAREntry) {
    writeObject { json in
      json.write(key: "startedDateTime", ISODate.text(of: entry.started, digits: 3))
      json.write(key: "time", milliseconds: entry.milliseconds)
      json.writeObject(key: "request") { $0.writeMembers(of: entry.request) }
      json.writeObject(key: "response") { json in
        // Browsers write a missing response with the status 0.
        json.writeMembers(of: entry.response ?? HARResponse(status: 0))
      }
      json.writeObject(key: "cache") { _ in }
      json.writeObject(key: "timings") { json in
        json.write(key: "send", 0)
        json.write(key: "wait", milliseconds: entry.milliseconds)
        json.write(key: "receive", 0)
      }
      if let failure = entry.failure {
        json.writeObject(key: "_failure") { json in
          json.write(key: "kind", failure.kind)
          json.write(key: "message", failure.message)
          if failure.isUnsent { json.write(key: "unsent", true) }
        }
      }
    }
  }

  private mutating func writeMembers(of request: HARRequest) {
    write(key: "method", request.method)
    write(key: "url", request.url)
    write(key: "httpVersion", "HTTP/1.1")
    write(key: "cookies", [])
    write(request.headers)
    write(queryOf: request.url)
    if let body = request.body {
      writeObject(key: "postData") { json in
        json.write(key: "mimeType", body.type)
        json.write(body.bytes, encodingName: "_encoding")
      }
    }
    write(key: "headersSize", -1)
    write(key: "bodySize", request.body?.bytes.count ?? 0)
    if let problem = request.bodyProblem { write(key: "_bodyProblem", problem) }
    if let environment = request.environment { write(key: "_environment", environment) }
    if request.isDeclaredSafe { write(key: "_safe", true) }
  }

  private mutating func writeMembers(of response: HARResponse) {
    write(key: "status", response.status)
    write(
      key: "statusText", response.status == 0 ? "" : StatusPhrase.text(for: response.status))
    write(key: "httpVersion", "HTTP/1.1")
    write(key: "cookies", [])
    write(response.headers)
    writeObject(key: "content") { json in
      json.write(key: "size", response.body?.bytes.count ?? 0)
      json.write(key: "mimeType", response.body?.type ?? response.missingType)
      if let body = response.body { json.write(body.bytes, encodingName: "encoding") }
    }
    write(key: "redirectURL", "")
    write(key: "headersSize", -1)
    write(key: "bodySize", -1)
    if let url = response.finalURL { write(key: "_finalURL", url) }
    if let problem = response.bodyProblem { write(key: "_bodyProblem", problem) }
  }

  private mutating func write(_ headers: [HARHeader]) {
    writeList(key: "headers") { json in
      for header in headers {
        json.writeObject { json in
          json.write(key: "name", header.name)
          json.write(key: "value", String(escaping: header.value))
          if String(validating: header.value, as: UTF8.self) == nil {
            json.write(key: "_base64", base64: header.value)
          }
        }
      }
    }
  }

  /// Writes the query parameters, for people who read the file. Lull itself reads the parameters
  /// from the URL.
  private mutating func write(queryOf url: String) {
    writeList(key: "queryString") { json in
      for (name, value) in RecordedURL(url).parameters {
        json.writeObject { json in
          json.write(key: "name", name)
          json.write(key: "value", value)
        }
      }
    }
  }

  private mutating func write(_ body: [UInt8], encodingName: String) {
    if let text = String(validating: body, as: UTF8.self) {
      write(key: "text", text)
    } else {
      write(key: "text", base64: body)
      write(key: encodingName, "base64")
    }
  }

  private mutating func write(key: String, base64 bytes: [UInt8]) {
    write(key: key, String(decoding: Base64.encode(bytes), as: UTF8.self))
  }

  /// Writes a number of milliseconds, without a fraction if it is whole.
  private mutating func write(key: String, milliseconds: Double) {
    write(key: key)
    if let whole = Int(exactly: milliseconds) { write(whole) } else { write(milliseconds) }
  }
}
