/// The access of one home thread to the admissions of a rate limit that several processes share.
///
/// At most one call of `ask` is unanswered at a time, because only the first request in a process's
/// queue asks. If a process dies, its admissions whose requests were not sent are given back. Home
/// thread only.
package protocol AdmissionLog: AnyObject {
  /// Asks for one admission. `answer` is called once, immediately or on a later turn. After
  /// `.opens`, the process keeps its position in the queue of processes, and asks again when the
  /// given time has passed.
  func ask(_ answer: @escaping (AdmissionAnswer) -> Void)

  /// Leaves the queue of processes. A pending answer is not delivered. If it grants an admission,
  /// that admission is given back.
  func stopAsking()

  /// Notes that bytes of an admitted request may be sent from now on. If this process dies before
  /// it calls `send`, the request counts for one span, and its admission is not given back.
  func begin(_ admission: Admission)

  /// Starts the span of an admitted request. Before this call, the request counts without a time
  /// limit. Returns the admission with the number that it has from now on.
  func send(_ admission: Admission) -> Admission

  /// Gives back an admission that will not be used.
  func withdraw(_ admission: Admission)

  /// Reports the server's own count, from the response to a sent request.
  func learn(_ lesson: LimitLesson, from admission: Admission)
}

/// Whether a limit that several processes share admits another request.
package enum AdmissionAnswer: Sendable, Equatable {
  case granted(Admission)
  /// The limit admits no request now. Ask again after this number of seconds. By then, the limit
  /// opens, or another process may have left the queue.
  case opens(after: Double)
}
