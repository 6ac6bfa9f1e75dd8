import LullCore

/// One exchange: what was sent, and what came of it.
package struct HAREntry: Sendable, Equatable {
  /// When it was sent, in seconds since 1970.
  package var started: Double
  /// How long it took.
  package var milliseconds: Double
  package var request: HARRequest
  /// nil if the server said nothing.
  package var response: HARResponse?
  /// Why there is no response, or not all of it.
  package var failure: HARFailure?

  package init(
    started: Double, milliseconds: Double, request: HARRequest, response: HARResponse? = nil,
    failure: HARFailure? = nil
  ) {
    self.started = started
    self.milliseconds = milliseconds
    self.request = request
    self.response = response
    self.failure = failure
  }
}

/// A request as it was sent, but for what the transport adds.
package struct HARRequest: Sendable, Equatable {
  package var method: String
  package var url: String
  package var headers: [HARHeader]
  /// nil: none at all.
  package var body: HARBody?
  /// Why its body could not be read; nil: it could, or there was none.
  package var bodyProblem: String?
  /// The environment of an API file that it was sent in; nil: none, or nobody knows. (ENV-18)
  package var environment: String?

  package init(method: String, url: String, headers: [HARHeader] = [], body: HARBody? = nil) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }

  /// Whether it says what data its sender has.
  package var isConditional: Bool {
    headers.contains { Headers.isCondition($0.name) }
  }
}

/// A response, its body without the codings of the transfer.
package struct HARResponse: Sendable, Equatable {
  package var status: Int
  package var headers: [HARHeader]
  /// nil: none at all.
  package var body: HARBody?
  /// What the type of a body is said to be that is not there; empty if nothing is said.
  package var missingType = ""
  /// Where redirects have led, if they have.
  package var finalURL: String?
  /// Whether there was a body that whoever recorded it has left out.
  package var lacksBody = false
  /// Why its body could not be read: it is lacking then; nil: it could, or there is none.
  package var bodyProblem: String?

  package init(
    status: Int, headers: [HARHeader] = [], body: HARBody? = nil, finalURL: String? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.finalURL = finalURL
  }
}

/// How an exchange has failed: a kind of `TransportError`, and its sentence.
package struct HARFailure: Sendable, Equatable {
  package var kind: String
  package var message: String
  /// Whether nothing of the request can have reached the server.
  package var isUnsent = false

  package init(kind: String, message: String) {
    self.kind = kind
    self.message = message
  }
}

/// A line of a head, byte for byte.
package struct HARHeader: Sendable, Equatable {
  package var name: String
  package var value: [UInt8]

  package init(_ name: String, _ value: [UInt8]) {
    self.name = name
    self.value = value
  }

  package init(_ name: String, _ value: String) { self.init(name, Array(value.utf8)) }
}

/// A body, byte for byte.
package struct HARBody: Sendable, Equatable {
  package var bytes: [UInt8]
  /// As its head names it; empty if it does not.
  package var type: String
  /// Whether it is a file's, or has files in it, of which the test knows no more than their names.
  package var isOfFile = false

  package init(_ bytes: [UInt8], type: String = "") {
    self.bytes = bytes
    self.type = type
  }
}
