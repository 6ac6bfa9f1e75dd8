/// Obtains admissions of a rate limit that several processes share, for one home thread.
///
/// At most one call of `ask` is unanswered at a time, because only the first request in a process's
/// queue asks. If a process dies, its admissions are given back if their requests were not sent.
/// Home thread only.
package protocol AdmissionLog: AnyObject {
  /// Asks for one admission. `answer` is called once, immediately or in a later turn. If the answer
  /// is `.opens`, the process keeps its position in the queue of processes, and must ask again when
  /// the given time has passed.
  func ask(_ answer: @escaping (AdmissionAnswer) -> Void)

  /// Leaves the queue of processes. The pending answer is not delivered. If the pending answer
  /// would grant an admission, that admission is given back.
  func stopAsking()

  /// Records that bytes of an admitted request may be sent from now on. If this process dies before
  /// it calls `send`, the admission is not given back: the request counts for one span.
  func begin(_ admission: Admission)

  /// Starts the span of an admitted request. Before this call, the request counts without a time
  /// limit. Returns the admission with the ID that it has from now on.
  func send(_ admission: Admission) -> Admission

  /// Gives back an admission that will not be used.
  func withdraw(_ admission: Admission)

  /// Records the server's own count, as reported in the response to a sent request.
  func learn(_ lesson: LimitLesson, from admission: Admission)
}

/// The answer to `AdmissionLog.ask`.
package enum AdmissionAnswer: Sendable, Equatable {
  case granted(Admission)
  /// The limit admits no request now. Ask again after this number of seconds: by then, the limit
  /// may admit a request, or another process may have left the queue.
  case opens(after: Double)
}
