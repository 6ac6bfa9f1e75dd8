import LullCore

/// The differences between two snapshots of an API.
struct APIDifference {
  /// The value on one side of a comparison, and the place that sets the value. A side without the
  /// setting is represented by `nil` instead of a `Side`.
  struct Side: Hashable {
    let value: String
    /// The line that sets the value. `nil`: the value is the built-in default.
    let place: String?

    /// Whether the value comes from a file.
    var isSaid: Bool { place.map { !$0.hasPrefix("built in") } ?? false }
  }

  struct SettingChange: Hashable {
    let name: String
    let before: Side?
    let after: Side?
  }

  /// A change of a setting, with the environments and URLs in which the setting has changed in this
  /// way.
  struct Use {
    let change: SettingChange
    /// The environments with the change. `nil` as an element: the file without an environment.
    var environments: [String?]
    /// The URLs with the change. Empty: the change applies to the whole service.
    var targets: [String]
  }

  struct CallChange {
    let name: String
    /// The environment of the change. `nil`: the file without an environment, or all environments.
    let environment: String?
    let before: APISnapshot.Call?
    let after: APISnapshot.Call?
    /// The details that differ, each with its text before and after the change.
    let details: [(what: String, before: String?, after: String?)]
  }

  /// Whether the file itself was added or removed.
  enum Change: String {
    case added
    case removed
  }

  /// Whether the file was added or removed. `nil`: the file exists on both sides.
  var change: Change?
  var settings: [Use] = []
  var calls: [CallChange] = []
  /// Environments that exist on only one side of the comparison.
  var environments: [(name: String, isAdded: Bool)] = []

  var isEmpty: Bool { change == nil && settings.isEmpty && calls.isEmpty && environments.isEmpty }

  private var places: [SettingChange: Int] = [:]

  /// Adds the differences between two snapshots of the file in one environment.
  ///
  /// - Parameter targets: The URLs that the snapshots describe.
  mutating func add(
    _ before: APISnapshot, _ after: APISnapshot, in environment: String?,
    of targets: [APISnapshot.Target]
  ) {
    for change in APIDifference.changes(before.service, after.service) {
      note(change, environment, [])
    }
    var groups: [[Int]: [String]] = [:]
    var order: [[Int]] = []
    for (index, target) in targets.enumerated() {
      let pair = [before.places[index], after.places[index]]
      if groups[pair] == nil { order.append(pair) }
      groups[pair, default: []].append(target.label)
    }
    for pair in order {
      for change in APIDifference.changes(before.sets[pair[0]], after.sets[pair[1]]) {
        note(change, environment, groups[pair] ?? [])
      }
    }
  }

  private mutating func note(_ change: SettingChange, _ environment: String?, _ labels: [String]) {
    // If one side lacks the file, report only the settings that the file on the other side makes.
    guard self.change == nil || (change.before ?? change.after)?.isSaid == true else { return }
    guard let place = places[change] else {
      places[change] = settings.count
      settings.append(Use(change: change, environments: [environment], targets: labels))
      return
    }
    if !settings[place].environments.contains(environment) {
      settings[place].environments.append(environment)
    }
    let known = Set(settings[place].targets)
    settings[place].targets += labels.filter { !known.contains($0) }
  }

  /// Compares settings by name. The result has the order of the second list. If a name occurs
  /// several times, its settings are compared by position.
  private static func changes(
    _ before: [APISnapshot.Setting], _ after: [APISnapshot.Setting]
  ) -> [SettingChange] {
    guard before != after else { return [] }
    let (left, right) = (numbered(before), numbered(after))
    let old = Dictionary(uniqueKeysWithValues: left)
    let names = Set(right.map(\.0))
    var changes = right.compactMap { name, setting -> SettingChange? in
      guard old[name]?.mark != setting.mark else { return nil }
      var after = side(setting)
      // The difference is in a masked or truncated part of the value.
      if let before = old[name], before.value == setting.value,
        !setting.value.hasSuffix("function"),
        !setting.value.hasSuffix("functions")
      {
        after = Side(value: "\(after.value) (another)", place: after.place)
      }
      return SettingChange(name: setting.name, before: old[name].map(side), after: after)
    }
    changes += left.filter { !names.contains($0.0) }.map { _, setting in
      SettingChange(name: setting.name, before: side(setting), after: nil)
    }
    return changes
  }

  private static func side(_ setting: APISnapshot.Setting) -> Side {
    Side(value: setting.value, place: setting.place)
  }

  private static func numbered(_ settings: [APISnapshot.Setting]) -> [(
    [String], APISnapshot.Setting
  )] {
    var counts: [String: Int] = [:]
    return settings.map { setting in
      counts[setting.name, default: 0] += 1
      return ([setting.name, String(counts[setting.name] ?? 0)], setting)
    }
  }

  // MARK: Calls

  /// Adds the differences of calls in an environment, unless they are already known from the file
  /// without an environment.
  mutating func addCalls(
    _ before: [APISnapshot.Call], _ after: [APISnapshot.Call], in environment: String? = nil
  ) {
    let old = Dictionary(uniqueKeysWithValues: before.map { ($0.name, $0) })
    let new = Set(after.map(\.name))
    for call in after {
      guard let known = old[call.name] else {
        note(call.name, nil, call, [], environment)
        continue
      }
      let details = APIDifference.details(known, call)
      if !details.isEmpty { note(call.name, known, call, details, environment) }
    }
    for call in before where !new.contains(call.name) {
      note(call.name, call, nil, [], environment)
    }
  }

  private mutating func note(
    _ name: String, _ before: APISnapshot.Call?, _ after: APISnapshot.Call?,
    _ details: [(what: String, before: String?, after: String?)], _ environment: String?
  ) {
    // Calls of the file without an environment are compared only once.
    let isKnown =
      environment != nil
      && calls.contains { known in
        known.name == name && (known.before == nil) == (before == nil)
          && (known.after == nil) == (after == nil)
          && known.details.elementsEqual(details, by: ==)
      }
    guard !isKnown else { return }
    calls.append(
      CallChange(
        name: name, environment: environment, before: before, after: after, details: details))
  }

  private static func details(
    _ before: APISnapshot.Call, _ after: APISnapshot.Call
  ) -> [(what: String, before: String?, after: String?)] {
    let (left, right) = (traits(before), traits(after))
    let names =
      left.map(\.name) + right.map(\.name).filter { name in !left.contains { $0.name == name } }
    return names.compactMap { name in
      let old = left.first { $0.name == name }
      let new = right.first { $0.name == name }
      guard old?.mark != new?.mark else { return nil }
      // Both texts are the same, so the difference is in a masked part of the value.
      let isHidden = old?.text == new?.text
      return (name, old?.text, new.map { isHidden ? "\($0.text) (another)" : $0.text })
    }
  }

  private static func traits(_ call: APISnapshot.Call) -> [APISnapshot.Trait] {
    [.init("method", call.method.rawValue), .init("path", call.path)] + call.traits
      + call.parameters
  }

  mutating func addEnvironments(_ before: [String], _ after: [String]) {
    environments = before.filter { !after.contains($0) }.map { ($0, false) }
    environments += after.filter { !before.contains($0) }.map { ($0, true) }
  }
}
