/// The admissions of one rate limit that several processes share, as used by one home thread.
///
/// At most one question is open at a time, because only the first request in a process's queue
/// asks. Admissions that were not sent are given back if their process dies. Home thread only.
package protocol AdmissionLog: AnyObject {
  /// Asks for one admission. The answer comes once, immediately or on a later turn. After `.opens`,
  /// the process keeps its position in the queue of processes and asks again at that time.
  func ask(_ answer: @escaping (AdmissionAnswer) -> Void)

  /// Leaves the queue of processes. A pending answer is not delivered, and its admission is given
  /// back.
  func stopAsking()

  /// Notes that a byte of an admitted request may be sent from now on. If this process dies before
  /// `send`, the request counts for a span and is not given back.
  func begin(_ admission: Admission)

  /// Starts the span of an admitted request. Until then it counts without limit of time. Returns
  /// the admission with its number from then on.
  func send(_ admission: Admission) -> Admission

  /// Gives back an admission that will not be used.
  func withdraw(_ admission: Admission)

  /// Reports the server's own count, from the response to a sent request.
  func learn(_ lesson: LimitLesson, from admission: Admission)
}

/// Whether processes that share a limit admit another request.
package enum AdmissionAnswer: Sendable, Equatable {
  case granted(Admission)
  /// The number of seconds after which to ask again: the limit opens then, or a process may have
  /// left the queue.
  case opens(after: Double)
}
