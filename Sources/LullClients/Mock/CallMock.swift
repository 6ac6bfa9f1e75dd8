package import LullCore

/// What an API file says that `lull mock` answers a call with; nothing else looks at it.
package struct CallMock {
  /// The number of a function of the script, kept for as long as its service is.
  package var function: Int64?
  /// Of content alone.
  package var example: MockAnswer?
  package var examples: [MockExample] = []
}

/// One answer of several: that to requests with certain parameters.
package struct MockExample {
  package var answer: MockAnswer
  /// None: whatever the parameters are.
  package var conditions: [(name: String, value: CallValue)] = []

  /// Whether it answers a request with these parameters.
  package func fits(_ values: [String: CallValue]) -> Bool {
    conditions.allSatisfy { name, value in values[name].map { $0.text == value.text } ?? false }
  }
}

/// An answer as it is sent, but for what the server adds.
package struct MockAnswer {
  package var status: Int
  package var headers: Headers
  package var body: [UInt8]
  /// Seconds until it is sent.
  package var delay: Double

  package init(status: Int, headers: Headers = Headers(), body: [UInt8] = [], delay: Double = 0) {
    self.status = status
    self.headers = headers
    self.body = body
    self.delay = delay
  }

  /// The longest that an answer may be held back, in seconds: a day.
  package static let longestDelay = 86_400.0
}
