/// The most recently used queries, found by the exact values that a caller passes.
///
/// JSON is compared by value, which takes much longer than comparing bytes. A program usually
/// encodes equal values to equal bytes, so most lookups end here. Two callers that write the same
/// query in different ways have an entry each.
///
/// The number of entries is fixed. A query whose entry was replaced is found by its identity.
struct RecentQueries {
  /// The values that a caller passes, and the settings on which the identity of the query depends.
  struct Question {
    let url: ResourceURL
    /// The method that the caller passes; nil if the configuration decides.
    let method: RequestMethod?
    let contentType: String
    var body: [UInt8]
    /// All headers that the caller passes, with their secrets.
    let headers: RequestHeaders
    /// The version of the service's configuration.
    let version: Int

    /// Returns whether all values are equal. False if the same JSON value is written differently.
    func isEqual(to other: Question) -> Bool {
      version == other.version && body.count == other.body.count && method == other.method
        && contentType.utf8.elementsEqual(other.contentType.utf8) && url == other.url
        && body == other.body && headers == other.headers
    }

    fileprivate var slot: Int {
      var hasher = Hasher()
      hasher.combine(method)
      url.hash(into: &hasher)
      // At once: an array combines its bytes one by one.
      body.withUnsafeBytes { hasher.combine(bytes: $0) }
      return hasher.finalize() & (RecentQueries.count - 1)
    }
  }

  /// The number of entries: a power of two.
  private static let count = 256
  /// The size of the largest content of which an entry has its own copy. Larger content is only
  /// found if it is written like that of the first caller.
  private static let largestCopy = 16 * 1024

  // Empty until a query is made.
  private var questions: [Question?] = []
  private var records: [ResourceRecord?] = []

  func record(for question: Question) -> ResourceRecord? {
    guard !questions.isEmpty else { return nil }
    let slot = question.slot
    guard let known = questions[slot], known.isEqual(to: question) else { return nil }
    return records[slot]
  }

  /// Adds the record that was found for a question. The record must be in the table.
  mutating func add(_ record: ResourceRecord, for question: Question) {
    var question = question
    if let body = record.query?.body, body == question.body {
      // The array of the record, so that the bytes are in memory once.
      question.body = body
    } else if question.body.count > RecentQueries.largestCopy {
      return
    }
    if questions.isEmpty {
      questions = Array(repeating: nil, count: RecentQueries.count)
      records = Array(repeating: nil, count: RecentQueries.count)
    }
    let slot = question.slot
    questions[slot] = question
    records[slot] = record
  }

  /// Removes the entries of a record that is removed from the table.
  mutating func remove(_ record: ResourceRecord) {
    for slot in records.indices where records[slot] === record {
      questions[slot] = nil
      records[slot] = nil
    }
  }

  mutating func removeAll() {
    questions = []
    records = []
  }
}
