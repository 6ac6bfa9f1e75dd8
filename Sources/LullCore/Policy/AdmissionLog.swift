/// When requests were let through that count against one rate limit in several processes, as one home
/// thread uses it.
///
/// At most one question is open at a time, since only the first in line of a process asks. What dies with
/// its process is given back. Home thread only.
package protocol AdmissionLog: AnyObject {
  /// Asks for one admission; the answer comes once, at once or on a later turn. Whoever hears when it opens
  /// keeps the place in the line of the processes, and asks again then.
  func ask(_ answer: @escaping (AdmissionAnswer) -> Void)

  /// Leaves the line of the processes; an answer under way does not come, and what it grants is given
  /// back.
  func stopAsking()

  /// A byte of an admitted request may go out from now on: if this process dies before `send`, the request
  /// counts for a span, and is not given back.
  func begin(_ admission: Admission)

  /// The span of an admitted request begins now: until then it counts, however long that takes. Returns the
  /// number it is known by from then on.
  func send(_ admission: Admission) -> Admission

  /// One that was let through will not be sent.
  func withdraw(_ admission: Admission)

  /// What the answer to one that was sent says of the server's own count.
  func learn(_ lesson: LimitLesson, from admission: Admission)
}

/// Whether processes that share a limit let one more through.
package enum AdmissionAnswer: Sendable, Equatable {
  case granted(Admission)
  /// Seconds from now when to ask again: it opens then, or somebody may have left the line.
  case opens(after: Double)
}
