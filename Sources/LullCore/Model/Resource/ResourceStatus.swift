/// The combined state of several resources, for one status display. It corresponds to Siesta's
/// `ResourceStatusOverlay` without views.
///
/// It is computed from the resources at each read, observes nothing and loads nothing. Lua:
/// `lull.status{ user, posts }`.
///
///     let status = ResourceStatus([api.resource("/users/7"), api.resource("/posts")])
///     if status.state == .error { status.retryFailedRequests() }
public struct ResourceStatus: CustomStringConvertible {
  /// The combined state. In Lua, strings with the same names.
  public enum State: String, Sendable {
    /// A resource is loading.
    case loading
    /// A resource has an error.
    case error
    /// One resource has data, or all have, depending on the rules.
    case success
    /// No rule applies: nothing has been loaded.
    case none
  }

  /// A rule that leads to a state.
  public enum StateRule: String, Sendable, CaseIterable {
    /// If any of them is loading, the state is `loading`.
    case loading
    /// If any of them has an error, the state is `error`.
    case error
    /// If any of them has data, the state is `success`.
    case anyData = "any_data"
    /// If all of them have data, the state is `success`.
    case allData = "all_data"

    /// Siesta's order.
    public static let standard: [StateRule] = [.loading, .error, .anyData]
  }

  /// The resources whose states are combined, in the order given.
  public let resources: [Resource]
  /// The first rule that applies decides.
  public var displayPriority: [StateRule]

  /// Combines the states of these resources. Loads and observes nothing. Home thread only.
  public init(_ resources: [Resource], displayPriority: [StateRule] = StateRule.standard) {
    self.resources = resources
    self.displayPriority = displayPriority
  }

  /// The state according to the first rule that applies.
  public var state: State {
    for rule in displayPriority {
      switch rule {
      case .loading where isLoading: return .loading
      case .error where latestError != nil: return .error
      case .anyData where hasAnyData: return .success
      case .allData where hasAllData: return .success
      default: continue
      }
    }
    return .none
  }

  /// Whether any of the resources is loading.
  public var isLoading: Bool { resources.contains { $0.isLoading } }

  /// The error of the first resource that has one.
  public var latestError: RequestError? { failedResources.first?.latestError }

  /// The resources whose last load has failed.
  public var failedResources: [Resource] { resources.filter { $0.latestError != nil } }

  /// Whether any of the resources has data.
  public var hasAnyData: Bool { resources.contains { $0.latestData != nil } }

  /// Whether all of the resources have data.
  public var hasAllData: Bool { resources.allSatisfy { $0.latestData != nil } }

  /// Loads the resources whose last load has failed, however recently. A resource that is loading
  /// is not loaded twice.
  ///
  /// - Returns: The loads, in the order of the resources.
  @discardableResult
  public func retryFailedRequests() -> [Request] {
    failedResources.map { $0.loadRequests.first ?? $0.load() }
  }

  public var description: String {
    "\(state.rawValue), \(resources.count) resource\(resources.count == 1 ? "" : "s")"
  }
}
