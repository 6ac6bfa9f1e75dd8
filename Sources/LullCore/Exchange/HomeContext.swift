internal import LullLibC

/// What services find on a thread that name no pump and no network.
///
/// Belongs to the thread of its home.
package final class HomeContext {
  package let pump: Pump
  private let makeNetworking: () -> any NetworkingProvider

  /// Made when first used.
  package private(set) lazy var networking = makeNetworking()

  package init(pump: Pump, networking: @escaping () -> any NetworkingProvider) {
    self.pump = pump
    makeNetworking = networking
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "this process has no thread-specific data left")
    return key
  }()

  /// That of the innermost home that is being run on this thread.
  // Whoever sets it holds the object until it is set back.
  package static var current: HomeContext? {
    get {
      guard let pointer = pthread_getspecific(key) else { return nil }
      return Unmanaged<HomeContext>.fromOpaque(pointer).takeUnretainedValue()
    }
    set {
      pthread_setspecific(key, newValue.map { Unmanaged.passUnretained($0).toOpaque() })
    }
  }

  /// Runs `body` as this home.
  package func whileCurrent<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outer = HomeContext.current
    HomeContext.current = self
    defer { HomeContext.current = outer }
    return try body()
  }
}
