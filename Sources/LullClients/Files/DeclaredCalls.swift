import LullCore

/// The calls that an API file declares, in its order.
///
/// Those that stand in its text as data are read when somebody asks for them, and until then nobody knows whether they
/// are right. What is wrong with a call is told to whoever asks for it. Home thread only.
final class DeclaredCalls {
  typealias Reading = Result<APICall, APIFileProblem>

  /// Those of a text that have not been read.
  struct Unread {
    let entries: CallEntries
    /// Reads some of them: each by its name.
    let read: ([CallEntry], Service) -> [String: Reading]
  }

  /// In the order of the file.
  private(set) lazy var names: [String] =
    unread?.entries.names { readings[$0] != nil } ?? order
  /// Whether one of them says what its answers are.
  let haveSchemas: Bool
  private var readings: [String: Reading]
  /// Their names where all have been read.
  private let order: [String]
  /// nil when all have been read.
  private var unread: Unread?
  private weak let service: Service?

  /// - Parameters:
  ///   - order: the names of those that have been read, in the order of the file.
  ///   - readings: what they are.
  init(
    _ order: [String], _ readings: [String: Reading], unread: Unread? = nil, of service: Service
  ) {
    self.order = order
    self.readings = readings
    self.unread = unread
    self.service = service
    haveSchemas =
      unread?.entries.haveSchemas == true
      || readings.values.contains { (try? $0.get())?.schema != nil }
  }

  /// nil if there is none of that name.
  func call(_ name: String) throws(APIFileProblem) -> APICall? {
    if let known = readings[name] { return try known.get() }
    guard let entry = unread?.entries.entry(name) else { return nil }
    return try read([entry])[name]?.get()
  }

  /// All of them; the first that is wrong is told.
  var all: [APICall] {
    get throws(APIFileProblem) {
      let names = names
      let entries = unread?.entries
      let found = read(
        entries.map { known in known.all.filter { readings[known.name(of: $0)] == nil } } ?? [])
      var calls: [APICall] = []
      calls.reserveCapacity(names.count)
      for name in names {
        guard let reading = found[name] ?? readings[name] else { continue }
        calls.append(try reading.get())
      }
      unread = nil
      return calls
    }
  }

  /// One as far as lists need to know it; nil if there is none of that name.
  func listed(_ name: String) throws(APIFileProblem) -> ListedCall? {
    if readings[name] == nil, let listed = unread?.entries.listed(name) { return listed }
    return try call(name).map { ListedCall($0) }
  }

  /// What is wrong with one may be the world's fault: it is read once more when it is asked for again.
  private func read(_ entries: [CallEntry]) -> [String: Reading] {
    guard !entries.isEmpty, let unread else { return [:] }
    guard let service else {
      let gone = Reading.failure(.missing("the API has ended"))
      return Dictionary(
        uniqueKeysWithValues: entries.map { (unread.entries.name(of: $0), gone) })
    }
    let found = unread.read(entries, service)
    for (name, reading) in found {
      if case .success = reading { readings[name] = reading }
    }
    return found
  }
}

/// A declared call, as a script has made a request or a resource of it.
package struct DeclaredUse {
  package let api: APIFile
  package let call: APICall
  /// The parameters that the script has given; others may have their defaults.
  package let given: Set<String>
  package let values: [String: CallValue]
  /// What it is about, with masks in the place of secrets.
  package let url: String
}
