extension Log.Category {
  /// What helps with most questions: network, changes of state, staleness. (LOG-03)
  public static let common: Set<Log.Category> = [.network, .stateChanges, .staleness]

  /// All but headers and bodies.
  public static let detailed = all.subtracting([.networkDetails])

  /// Everything, headers and bodies too. (LOG-03)
  public static let all = Set(allCases)
}

/// So that `log.enabled = .common` is enough.
extension Set<Log.Category> {
  /// As `Log.Category.common`.
  public static var common: Set<Log.Category> { Log.Category.common }
  /// As `Log.Category.detailed`.
  public static var detailed: Set<Log.Category> { Log.Category.detailed }
  /// As `Log.Category.all`.
  public static var all: Set<Log.Category> { Log.Category.all }
}
