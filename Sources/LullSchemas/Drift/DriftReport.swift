package import LullCore

/// Compares sample responses of an API with the schemas of the API.
///
/// The responses are added one by one, and none of their values is stored.
package struct DriftReport {
  /// The smallest number of samples for which the report mentions a field that never occurs.
  private static let fewSamples = 3

  private struct Answer: Hashable {
    let call: String
    let status: String
  }

  private struct Key: Hashable {
    let answer: Answer
    let change: DriftFinding.Change
    let pointer: String
    /// The declaration to which a finding belongs. It distinguishes fields that match different
    /// patterns but have the same pointer.
    var declared = ""
  }

  private let file: SchemaFile?
  private var walk: DriftWalk?
  private let own: [String: OwnSchema]
  /// The comparisons for calls that declare their own schemas, by the name of the call.
  private var ownWalks: [String: DriftWalk] = [:]
  private var counts: [Answer: Int] = [:]
  private var findings: [Key: DriftFinding] = [:]
  private var optional: [Key: (there: Int, chances: Int)] = [:]
  private var others: [DriftFinding] = []

  /// Creates a report without samples.
  ///
  /// - Parameters:
  ///   - file: The schema file; nil if there is none.
  ///   - own: The schemas that calls declare themselves, by the name of the call. For successful
  ///     responses, they take precedence over the schema file.
  package init(_ file: SchemaFile?, own: [String: OwnSchema] = [:]) {
    self.file = file
    self.own = own
    walk = file.map { DriftWalk($0) }
  }

  /// The number of responses that were compared with a schema.
  package private(set) var compared = 0

  // MARK: Samples

  /// Compares a response with its schema and adds the differences to the report.
  ///
  /// - Parameters:
  ///   - value: The content of the response; nil if the response was not JSON.
  ///   - type: The content type of a response that was not JSON.
  /// - Throws: An error if the schemas can't be read.
  package mutating func add(
    _ value: JSONElement?, type: String, status: Int, of call: String
  ) throws(SchemaProblem) {
    let name: String
    let schema: JSONElement
    if (200..<300).contains(status), let own = own[call] {
      (name, schema) = ("2XX", try own.element(ofCall: call, in: file))
    } else {
      guard let responses = try file?.call(call)?["responses"], responses.kind == .object else {
        note(.withoutSchema, call, "", "")
        return
      }
      guard let declared = DriftReport.declared(status, in: responses) else {
        note(.undeclaredStatus, call, String(status), "")
        return
      }
      (name, schema) = declared
    }
    let answer = Answer(call: call, status: name)
    counts[answer, default: 0] += 1
    compared += 1
    guard let value else {
      // A schema without keywords accepts content that is not JSON.
      guard schema.count > 0 else { return }
      let found = type.isEmpty ? "no JSON" : type
      take(
        [.init(tier: .breaking, change: .type, pointer: "", declared: "JSON", found: found)], answer
      )
      return
    }
    if case .document? = own[call], name == "2XX" {
      var own =
        ownWalks[call] ?? DriftWalk(OwnSchema.file(schema, ofCall: call))
      // The walk is removed from the dictionary while it is modified, so that it is not copied.
      ownWalks[call] = nil
      defer { ownWalks[call] = own }
      try own.look(at: value, schema)
      take(own, answer)
    } else if var walk {
      self.walk = nil
      defer { self.walk = walk }
      try walk.look(at: value, schema)
      take(walk, answer)
    }
  }

  private mutating func take(_ walk: DriftWalk, _ answer: Answer) {
    take(walk.differences, answer)
    for (pointer, isThere) in walk.optional {
      let key = Key(answer: answer, change: .unseen, pointer: pointer)
      optional[key, default: (0, 0)].chances += 1
      if isThere { optional[key]?.there += 1 }
    }
  }

  /// Adds a finding about an exchange that belongs to no call.
  ///
  /// - Parameter place: The method and path of the exchange.
  package mutating func add(undeclared place: String) { note(.undeclaredCall, "", "", place) }

  private mutating func take(_ differences: [DriftWalk.Difference], _ answer: Answer) {
    // A response may have several differences of the same kind at one place, such as in a list.
    // They are counted once.
    var counted: Set<Key> = []
    for difference in differences {
      let key = Key(
        answer: answer, change: difference.change, pointer: difference.pointer,
        declared: difference.declared)
      var finding =
        findings[key]
        ?? DriftFinding(
          tier: difference.tier, change: difference.change, call: answer.call,
          status: answer.status, pointer: difference.pointer, declared: difference.declared,
          samples: 0, of: 0)
      finding.tier = min(finding.tier, difference.tier)
      if counted.insert(key).inserted { finding.samples += 1 }
      if !finding.found.split(separator: "|").contains(where: { $0 == difference.found }) {
        finding.found += (finding.found.isEmpty ? "" : "|") + difference.found
      }
      findings[key] = finding
    }
  }

  private mutating func note(
    _ change: DriftFinding.Change, _ call: String, _ status: String, _ place: String
  ) {
    let known = others.firstIndex {
      $0.change == change && $0.call == call && $0.status == status && $0.pointer == place
    }
    if let known {
      others[known].samples += 1
      others[known].of += 1
    } else {
      others.append(
        DriftFinding(
          tier: .note, change: change, call: call, status: status, pointer: place, samples: 1, of: 1
        ))
    }
  }

  // MARK: Results

  /// All findings, the most severe first. Findings of equal severity are sorted by call, status and
  /// pointer.
  package var sorted: [DriftFinding] {
    var all = others
    for (key, finding) in findings {
      var finding = finding
      finding.of = counts[key.answer] ?? finding.samples
      all.append(finding)
    }
    for (key, seen) in optional where seen.there == 0 && seen.chances >= DriftReport.fewSamples {
      all.append(
        DriftFinding(
          tier: .note, change: .unseen, call: key.answer.call, status: key.answer.status,
          pointer: key.pointer, declared: "optional", found: "never", samples: seen.chances,
          of: counts[key.answer] ?? seen.chances))
    }
    return all.sorted { one, other in
      guard one.tier == other.tier else { return one.tier < other.tier }
      let texts = { (finding: DriftFinding) in
        [finding.call, finding.status, finding.pointer, finding.change.rawValue, finding.declared]
      }
      return texts(one).lexicographicallyPrecedes(texts(other))
    }
  }

  /// Returns the declaration that applies to a status. This is the declaration for the status
  /// itself; if there is none, the declaration for the class of the status; if there is none, the
  /// default.
  private static func declared(_ status: Int, in responses: JSONElement)
    -> (name: String, schema: JSONElement)?
  {
    for name in [String(status), "\(status / 100)XX", "\(status / 100)xx", "default"] {
      if let schema = responses[name] { return (name, schema) }
    }
    return nil
  }
}
