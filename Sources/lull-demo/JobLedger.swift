/// Jobs that take their time: each goes through the same states, one after the other.
///
/// A job moves on when it is looked at and its step has lasted long enough since it was first seen, by
/// one step at most, so that whoever polls it meets every state, however slow either side is.
struct JobLedger: Sendable {
  private static let steps: [(state: String, progress: Int)] = [
    ("queued", 0), ("running", 25), ("running", 50), ("running", 75), ("done", 100),
  ]

  private struct Job {
    let name: String
    let pace: Duration
    var step = 0
    /// When the step was first seen.
    var since: ContinuousClock.Instant?
  }

  private var jobs: [Job] = []

  /// Begins a job whose steps last that long; what is known of it.
  mutating func begin(_ name: String, milliseconds: Int) -> JSON {
    jobs.append(Job(name: name, pace: .milliseconds(milliseconds)))
    return json(of: jobs.count)
  }

  /// What has become of a job; nil if there is none of that number.
  mutating func look(at id: Int) -> JSON? {
    guard (1...).contains(id), id <= jobs.count else { return nil }
    let job = jobs[id - 1]
    if let since = job.since, job.step + 1 < Self.steps.count, .now - since >= job.pace {
      jobs[id - 1].step += 1
      jobs[id - 1].since = .now
    } else if job.since == nil {
      jobs[id - 1].since = .now
    }
    return json(of: id)
  }

  private func json(of id: Int) -> JSON {
    let job = jobs[id - 1]
    let (state, progress) = Self.steps[job.step]
    return [
      "id": .int(id), "name": .string(job.name), "state": .string(state),
      "progress": .int(progress),
      "result": state == "done" ? .string("/articles/\(id)") : .null,
    ]
  }
}
