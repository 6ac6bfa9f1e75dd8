/// The requests that a test has sent by using one call of an API file.
struct CallUse: Codable {
  struct Count: Codable, Equatable {
    /// The status of the responses. `nil` if there was no response.
    var status: Int?
    var count: Int
  }

  struct Value: Codable, Hashable {
    var parameter: String
    var text: String
  }

  /// The path of the API file with links resolved.
  var api: String
  /// The environment that the call was used in. `nil` for none.
  var environment: String?
  var call: String
  var statuses: [Count] = []
  /// The names of the parameters that the test has passed.
  var parameters: [String] = []
  /// The values of choice parameters. Defaults are included.
  var values: [Value] = []

  /// Returns whether both are uses of the same call, in the same environment.
  func isAlike(_ other: CallUse) -> Bool {
    api == other.api && environment == other.environment && call == other.call
  }

  mutating func add(_ other: CallUse) {
    for count in other.statuses { add(count.status, count.count) }
    for name in other.parameters where !parameters.contains(name) { parameters.append(name) }
    for value in other.values where !values.contains(value) { values.append(value) }
  }

  mutating func add(_ status: Int?, _ count: Int = 1) {
    if let place = statuses.firstIndex(where: { $0.status == status }) {
      statuses[place].count += count
    } else {
      statuses.append(Count(status: status, count: count))
    }
  }
}
