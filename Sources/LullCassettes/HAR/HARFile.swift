package import LullCore

/// A recording of exchanges as an HTTP Archive (HAR), version 1.2. Browsers and proxies write this
/// format too.
///
/// Additional data of Lull is in members that begin with `_`, which the format reserves for
/// programs. Additional data of other programs is not kept.
package struct HARFile: Sendable, Equatable {
  /// The program that has written the file.
  package struct Creator: Sendable, Equatable {
    package var name: String
    package var version: String

    package init(name: String, version: String) {
      self.name = name
      self.version = version
    }
  }

  package var creator: Creator
  /// The exchanges, in the order in which the requests were sent.
  package var entries: [HAREntry]

  package init(creator: Creator, entries: [HAREntry] = []) {
    self.creator = creator
    self.entries = entries
  }
}

extension HARFile {
  /// Whether `name` is a safe file name for a recording. A safe name can't lead to another folder,
  /// and can be displayed and stored on any system.
  package static func isPlain(name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 200 && !name.hasPrefix(".")
      && !name.unicodeScalars.contains {
        "/\\".unicodeScalars.contains($0) || $0.properties.generalCategory == .control
      }
  }
}

extension HARFile {
  /// Adds entries of an older recording. Only entries whose requests this recording lacks are
  /// added.
  ///
  /// The added entries are placed before the entries of this recording, with one exception: if this
  /// recording has reads of a resource before its first write to this resource, these reads stay
  /// before the writes of the older recording to the same resource.
  package mutating func keep(othersOf old: [HAREntry]) {
    let own = entries.map { RecordedRequest($0.request, comparing: []) }
    var merged = old.map { (entry: $0, request: RecordedRequest($0.request, comparing: [])) }
      .filter { old in !own.contains { $0.fits(old.request) } }
    var written: Set<String> = []
    for (entry, request) in zip(entries, own) {
      let resource = request.resource
      if request.isWrite { written.insert(resource) }
      let next =
        written.contains(resource)
        ? nil : merged.firstIndex { $0.request.isWrite && $0.request.resource == resource }
      merged.insert((entry, request), at: next ?? merged.endIndex)
    }
    entries = merged.map(\.entry)
  }
}

/// Why a file is not a readable HTTP Archive. The values are the JSON Pointer of the problem and a
/// message.
package struct HARError: Error, Sendable, Equatable, CustomStringConvertible {
  package let pointer: String
  package let problem: String

  package var description: String { pointer.isEmpty ? problem : "at \(pointer): \(problem)" }
}

extension HARRequest {
  /// Creates the recorded form of a request as it would be sent, with its secrets masked. Throws an
  /// error if the body of the request can't be read.
  package init(_ request: HTTPRequest) throws(TransportError) {
    let type = request.headers["content-type"] ?? ""
    let body: HARBody?
    switch request.payload {
    case .bytes(let bytes)?: body = HARBody(bytes, type: type)
    case .streamed(let stream)?:
      var streamed = HARBody(try stream.bytes(), type: type)
      streamed.isOfFile = stream.hasFiles
      body = streamed
    case nil: body = nil
    }
    self.init(
      method: request.method.rawValue, url: request.url,
      headers: request.headers.lines.bytePairs.map {
        HARHeader(String(escaping: $0.name), $0.value)
      },
      body: body)
    environment = request.environment
    isDeclaredSafe = request.isDeclaredSafe
  }
}

extension HARResponse {
  /// Creates the recorded form of a response.
  ///
  /// - Parameters:
  ///   - body: The decoded body; nil if there is none.
  ///   - url: The URL that was requested.
  package init(_ response: HTTPResponse, body: [UInt8]?, asked url: String) {
    self.init(
      status: response.status,
      headers: response.headers.bytePairs.map { HARHeader(String(escaping: $0.name), $0.value) },
      body: body.map { HARBody($0, type: response.headers["content-type"] ?? "") },
      finalURL: response.url == url ? nil : response.url)
  }
}

extension HARFailure {
  package init(_ error: TransportError) {
    self.init(kind: error.kind.rawValue, message: error.message)
    isUnsent = error.isUnsent
  }
}

extension NetworkResult {
  /// Creates a network result from a recorded exchange, as if the network had just reported it.
  ///
  /// - Parameter url: The URL that was requested.
  package init(_ entry: HAREntry, url: String) {
    self.init(
      response: entry.response.map { HTTPResponse($0, asked: url, seconds: entry.seconds) },
      body: entry.response?.body?.bytes,
      error: entry.failure.map { failure in
        // The kind is valid: that was checked when the recording was read.
        var error = TransportError(.init(rawValue: failure.kind) ?? .network, failure.message)
        error.isUnsent = failure.isUnsent
        return error
      })
  }
}

extension HTTPResponse {
  /// Creates a response from its recorded form.
  ///
  /// - Parameters:
  ///   - url: The URL that was requested.
  ///   - seconds: The recorded duration of the exchange.
  init(_ recorded: HARResponse, asked url: String, seconds: Double = 0) {
    var headers = Headers()
    for header in recorded.headers { headers.add(header.name, bytes: header.value) }
    self.init(
      status: recorded.status, headers: headers, url: recorded.finalURL ?? url, elapsed: seconds)
  }
}

extension HAREntry {
  package var seconds: Double { milliseconds / 1000 }
}
