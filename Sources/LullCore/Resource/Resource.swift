/// One URL of a service: its latest data, its latest error, its requests and observers.
///
/// Resources are unique within a service: the same absolute URL gives the same object while anybody
/// holds it (SVC-24 to SVC-26), and the same state for as long as the service remembers it. State
/// changes only through loads, overrides, cache and wipe, so observers always hear of it (STA-17).
/// Home thread only. Lua: `Resource`.
public final class Resource {
  package let owner: any ResourceOwner
  /// The owner's, which everything asks for.
  package let pump: Pump
  package let record: ResourceRecord
  /// The number a script's host knows this object by; 0 if none.
  package var hostHandle: UInt64 = 0

  package init(owner: any ResourceOwner, record: ResourceRecord) {
    self.owner = owner
    pump = owner.pump
    self.record = record
    record.resource = self
  }

  deinit {
    pump.checkThread()
    record.resource = nil
    owner.resourceReleased(record)
  }

  /// What makes it this resource and no other. Lua: `resource.url`.
  public var url: ResourceURL { record.url }

  // MARK: State

  /// What the last successful load, override or cache hit left; nil if there is none. The first look
  /// at an untouched resource makes it look into its caches; what they have comes later (STA-15).
  public var latestData: Entity? {
    pump.checkThread()
    checkCaches()
    return record.state.latestData
  }

  /// The last load's failure; nil as soon as anything succeeds. (STA-07)
  public var latestError: RequestError? {
    pump.checkThread()
    return record.state.latestError
  }

  /// The later of data's and error's timestamps, 0 if there is neither. (STA-08)
  public var timestamp: Double {
    pump.checkThread()
    checkCaches()
    return record.state.timestamp
  }

  /// Whether a load is in progress. (STA-04, STA-10)
  public var isLoading: Bool {
    pump.checkThread()
    return !record.loads.isEmpty
  }

  /// Whether any request of this resource is in progress. (STA-03)
  public var isRequesting: Bool {
    pump.checkThread()
    return !record.allRequests.isEmpty
  }

  /// Whether `loadIfNeeded` would find the data, or a recent error, fresh enough. (LOAD-24) Of an offline
  /// service any data is.
  public var isUpToDate: Bool {
    if case .nothing = loadPlan(isJoining: false).step { true } else { false }
  }

  /// Loads under way, in the order they were started. Lua: `resource.load_requests`.
  public var loadRequests: [Request] {
    pump.checkThread()
    return record.loadRequests
  }
  /// Every request under way, loads included, in that order. Lua: `resource.all_requests`.
  public var allRequests: [Request] {
    pump.checkThread()
    return record.allRequests
  }

  /// The URL with the base abbreviated, and flags: L loading, D data, E error. (STA-16)
  package var shortDescription: String {
    var flags = ""
    if isLoading { flags += "L" }
    if record.state.latestData != nil { flags += "D" }
    if record.state.latestError != nil { flags += "E" }
    return displayName + " [" + flags + "]"
  }

  package var displayName: String {
    switch record.invalidSource {
    case nil: LogText.url(url.abbreviated(base: owner.baseURL))
    case .missing: "<no URL>"
    case .unparsable(let source): "<invalid URL: \(CredentialMask.malformedURL(source))>"
    }
  }
}
