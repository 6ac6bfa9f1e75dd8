/// What the model tells apart: data, answers, and requests with what they are for it.
extension ResourceModel {
  struct Data: Equatable {
    var text: String
    var etag: String?
    var timestamp: Double
    /// Of an override of the content alone the headers say nothing any more. (OVR-10)
    var validatorsHold = true
  }

  struct Failure: Equatable {
    var text: String
    var timestamp: Double
  }

  /// What the network says.
  enum Answer {
    case data(text: String, etag: String?)
    case notModified
    case failure(text: String)
  }

  enum Outcome: Equatable {
    case success(Data, isNew: Bool)
    case failure(Failure)
    case cancelled
  }

  /// The role of a request as a load of the resource.
  final class Load {
    var isForgotten = false
    var wasInvalidatedMeanwhile = false
  }

  final class Call {
    let isGet: Bool
    var outcome: Outcome?
    var isDelivered = false
    var isInCache = false
    /// What hears of its end, in order.
    var hooks: [() -> Void] = []
    var isAdopted = false
    /// Composites that wait for it.
    var waiting = 0
    /// What a composite has passed to; it waits for its cache check before.
    var passedTo: Call?
    let isComposite: Bool
    /// When it was sent, and when the answer to an unsafe one came.
    var sentAt = 0
    var answeredAt: Int?

    init(isGet: Bool = true, isComposite: Bool = false) {
      self.isGet = isGet
      self.isComposite = isComposite
    }
  }

  final class Check {
    let found: Data?
    let isOutdated: Bool
    var hooks: [() -> Void] = []
    var hasBroughtData = false

    init(_ found: Data?, staleAt: Double?) {
      self.found = found
      isOutdated = found.map { $0.timestamp <= staleAt ?? -1 } ?? false
    }
  }

  enum CheckState {
    case idle
    case running(Check)
    case over
  }
}
