/// The combined state of several resources, for a single status display. It corresponds to Siesta's
/// `ResourceStatusOverlay`, without the views.
///
/// The state is computed from the resources at each read. A status does not observe or load the
/// resources. Lua: `lull.status{ user, posts }`.
///
///     let status = ResourceStatus([api.resource("/users/7"), api.resource("/posts")])
///     if status.state == .error { status.retryFailedRequests() }
public struct ResourceStatus: CustomStringConvertible {
  /// A combined state. In Lua, it is a string with the same name.
  public enum State: String, Sendable {
    /// At least one resource is loading.
    case loading
    /// At least one resource has an error.
    case error
    /// At least one resource has data, or all resources have data, depending on the rules.
    case success
    /// No rule applies, for example because no resource has been loaded.
    case none
  }

  /// A rule that leads to a state.
  public enum StateRule: String, Sendable, CaseIterable {
    /// If any of the resources is loading, the state is `loading`.
    case loading
    /// If any of the resources has an error, the state is `error`.
    case error
    /// If any of the resources has data, the state is `success`.
    case anyData = "any_data"
    /// If all of the resources have data, the state is `success`.
    case allData = "all_data"

    /// The default order of the rules, which is the same as in Siesta.
    public static let standard: [StateRule] = [.loading, .error, .anyData]
  }

  /// The resources whose states are combined, in the order given.
  public let resources: [Resource]
  /// The rules in order of priority: the first rule that applies determines the state.
  public var displayPriority: [StateRule]

  /// Creates a status of the given resources. Does not load or observe them. Home thread only.
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

  /// The error of the first resource that has an error; nil if there is none.
  public var latestError: RequestError? { failedResources.first?.latestError }

  /// The resources whose last load has failed.
  public var failedResources: [Resource] { resources.filter { $0.latestError != nil } }

  /// Whether any of the resources has data.
  public var hasAnyData: Bool { resources.contains { $0.latestData != nil } }

  /// Whether all of the resources have data.
  public var hasAllData: Bool { resources.allSatisfy { $0.latestData != nil } }

  /// Loads the resources whose last load has failed, however recently. If such a resource is
  /// already loading, no second load of it is started.
  ///
  /// - Returns: The loads of the failed resources, in the order of the resources.
  @discardableResult
  public func retryFailedRequests() -> [Request] {
    failedResources.map { $0.loadRequests.first ?? $0.load() }
  }

  public var description: String {
    "\(state.rawValue), \(resources.count) resource\(resources.count == 1 ? "" : "s")"
  }
}
