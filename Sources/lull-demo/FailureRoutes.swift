import FlyingFox
import Foundation

/// What goes wrong in a network, on demand: slowness, any status, failures that pass.
struct FailureRoutes: Sendable {
  let state: DemoState

  var all: [Route] {
    [
      Route("ANY", "/slow?seconds=2", "answers after that many seconds, at most 30") { call in
        try await slow(call)
      },
      Route("ANY", "/status/{code}", "answers with that status, 200 to 599") { call in
        let code = try call.intParameter("code", in: 200...599)
        guard ![204, 205, 304].contains(code) else { return Reply.empty(status: code) }
        let phrase = StatusPhrase.status(code).phrase
        return Reply.json(["status": .int(code), "message": .string(phrase)], status: code)
      },
      Route(
        "ANY", "/flaky?fail=2&key=K&retry_after=1", "503 that many times for each key, then 200"
      ) { call in
        try await flaky(call)
      },
      Route("ANY", "/limited?requests=5&per=1&key=K", "429 above that rate for each key") { call in
        try await limited(call)
      },
    ]
  }

  private func slow(_ call: Call) async throws -> HTTPResponse {
    let text = call.query["seconds"] ?? "2"
    guard let seconds = Double(text), (0...30).contains(seconds) else {
      throw Problem.badRequest("seconds must be a number from 0 to 30")
    }
    try await Task.sleep(for: .seconds(seconds))
    return Reply.json(["slept": Int(exactly: seconds).map(JSON.int) ?? .double(seconds)])
  }

  private func flaky(_ call: Call) async throws -> HTTPResponse {
    let failures = try call.query.int("fail", default: 2, in: 0...1_000_000)
    let key = call.query["key"] ?? ""
    let retryAfter = try call.query.int("retry_after", default: 1, in: 0...1_000_000)
    let attempts = await state.update { contents in
      contents.attempts[key, default: 0] += 1
      return contents.attempts[key, default: 0]
    }
    guard attempts > failures else {
      throw Problem(
        status: 503, code: "unavailable", message: "attempt \(attempts) fails, try again",
        headers: [("Retry-After", String(retryAfter))])
    }
    return Reply.json(["attempts": .int(attempts)])
  }

  private func limited(_ call: Call) async throws -> HTTPResponse {
    let requests = try call.query.int("requests", default: 5, in: 1...100_000)
    let seconds = try call.query.int("per", default: 1, in: 1...3600)
    let key = call.query["key"] ?? ""
    let now = ContinuousClock.now
    let wait = await state.update { contents -> Duration? in
      var times = contents.requestTimes[key, default: []]
      times.removeAll { $0 + .seconds(seconds) <= now }
      defer { contents.requestTimes[key] = times }
      if times.count >= requests { return times[0] + .seconds(seconds) - now }
      times.append(now)
      return nil
    }
    guard let wait else { return Reply.json(["limited": false]) }
    throw Problem(
      status: 429, code: "too_many_requests",
      message: "no more than \(requests) requests in \(seconds) s",
      headers: [("Retry-After", String(wait.components.seconds + 1))])
  }
}
