/// Why a recording has no answer to a request.
package struct CassetteMiss: Error, Sendable, Equatable, CustomStringConvertible {
  /// The recorded request with the fewest differences.
  package struct Nearest: Sendable, Equatable {
    /// Which one of the recording, from 1.
    package let number: Int
    package let request: HARRequest
    package let differences: [RequestDifference]
  }

  package enum Reason: Sendable, Equatable {
    /// It was not recorded; nil: nothing was.
    case unrecorded(Nearest?)
    /// It was recorded only before a write to it that has been answered.
    case overwritten
    /// It was recorded only after a write to it that has not been asked for.
    case unwritten
    /// It was recorded by a program that has left out the body of the answer.
    case bodyless
    /// It was recorded with a body of the answer that cannot be read, and why.
    case unreadable(String)
    /// It was recorded by a program that had the data already, and was told no more than that.
    case notModified
  }

  package let request: HARRequest
  package let reason: Reason

  init(_ request: HARRequest, nearest: Nearest?) {
    self.request = request
    reason = .unrecorded(nearest)
  }

  init(_ request: HARRequest, isBehindWrite: Bool) {
    self.request = request
    reason = isBehindWrite ? .overwritten : .unwritten
  }

  /// - Parameter problem: why the body of the answer cannot be read; nil: it was left out.
  init(bodyless request: HARRequest, _ problem: String?) {
    self.request = request
    reason = problem.map { .unreadable($0) } ?? .bodyless
  }

  init(notModified request: HARRequest) {
    self.request = request
    reason = .notModified
  }

  /// How far the request is from what was recorded: 0 of one that was, the most where nothing was.
  package var distance: Int {
    switch reason {
    case .unrecorded(nil): .max
    case .unrecorded(let nearest?): nearest.differences.reduce(0) { $0 + $1.weight }
    case .overwritten, .unwritten, .bodyless, .unreadable, .notModified: 0
    }
  }

  /// What was asked, why there is no answer, and in lines of their own what is nearest to it.
  package var description: String {
    let asked = "\(request.method) \(request.url)"
    switch reason {
    case .unrecorded(nil): return "\(asked) was not recorded: the recording is empty"
    case .unrecorded(let nearest?):
      let other = "\(nearest.request.method) \(nearest.request.url)"
      let lines = nearest.differences.map { "  " + $0.description }
      return (["\(asked) was not recorded; nearest is number \(nearest.number), \(other):"] + lines)
        .joined(separator: "\n")
    case .overwritten:
      return "\(asked) was recorded only before what has been written there since"
    case .unwritten:
      return "\(asked) was recorded only after something was written there, which is not done yet"
    case .bodyless:
      return "\(asked) was recorded without the body of its answer"
    case .unreadable(let problem):
      return "\(asked) was recorded with an answer whose body cannot be read: \(problem)"
    case .notModified:
      return
        "\(asked) was recorded by a program that had the data already (304): record it where nothing is cached"
    }
  }
}

extension RequestDifference: CustomStringConvertible {
  package var description: String {
    switch self {
    case .method(let recorded, let asked): "method: \(recorded) → \(asked)"
    case .origin(let recorded, let asked): "server: \(recorded) → \(asked)"
    case .path(let recorded, let asked): "path: \(recorded) → \(asked)"
    case .parameter(let name, let recorded, let asked):
      "query '\(name)': \(recorded ?? "none") → \(asked ?? "none")"
    case .parameterOrder: "query: the order"
    case .header(let name, let recorded, let asked):
      "header '\(name)': \(recorded ?? "none") → \(asked ?? "none")"
    case .environment(let recorded, let asked):
      "environment: \(recorded ?? "none") → \(asked ?? "none")"
    case .body(let lines): "body: " + lines.joined(separator: "; ")
    }
  }
}
