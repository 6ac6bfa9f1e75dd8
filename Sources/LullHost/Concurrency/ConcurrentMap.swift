import CLullBridge
import LullCore

/// One call of `lull.map`: calls a function for each element of a list, with limited concurrency.
///
/// Order of events: the function is called for the elements in the order of the list, at most
/// `concurrency` times at once. When one run has ended, the next run begins. The first error ends
/// all other runs. Besides the results, only the current runs take memory, regardless of the length
/// of the list. Home thread only.
final class ConcurrentMap {
  enum Decision {
    /// All calls have succeeded. The value is the ID of the list of results, which is pinned.
    case results(Int64)
    /// The function returned nil and an error for an element. The value is the ID of the packed
    /// table with that nil and that error, which is pinned.
    case failure(Int64)
    case cancelled
    case raised(ScriptFailure)
    case noMemory
  }

  let scope: RunScope
  /// Shows the progress of the call; nil if the script did not request it.
  var progress: ScriptProgress?
  private unowned let bridge: BridgeRuntime
  private unowned let stored: StoredValues
  private unowned let pump: Pump
  private let function: Int64
  private let list: Int64
  private let results: Int64
  private let count: Int
  private let concurrency: Int
  private var begun = 0
  private var runningCount = 0
  private var isFilling = false
  private var decided: ((Decision) -> Void)?

  /// Creates a map without starting it. The function, the list and the results are already pinned,
  /// and the creator must unpin them.
  init(
    function: Int64, list: Int64, results: Int64, count: Int, concurrency: Int, _ call: Call
  ) {
    self.function = function
    self.list = list
    self.results = results
    self.count = count
    self.concurrency = concurrency
    bridge = call.bridge
    stored = call.stored
    pump = call.pump
    scope = RunScope(call.coroutines, call.tasks)
  }

  /// Starts the first runs in the next turn. Calls `decided` once with the outcome. If the map is
  /// cancelled before it has an outcome, `decided` is not called.
  func begin(_ decided: @escaping (Decision) -> Void) {
    self.decided = decided
    pump.enqueue { [self] in fill() }
  }

  func cancel() {
    decided = nil
    progress?.drop()
    scope.end()
  }

  /// Starts as many runs as the limit allows. If a run ends immediately, the loop in this function
  /// starts the next run, so there is no recursion.
  private func fill() {
    guard !isFilling, decided != nil else { return }
    isFilling = true
    while runningCount < concurrency, begun < count, decided != nil {
      begun += 1
      runningCount += 1
      let position = begun
      scope.run(function, [.element(of: list, position)], as: "function given to lull.map") {
        [self] outcome in ended(position, outcome)
      }
    }
    isFilling = false
    if runningCount == 0, begun == count { finish(.results(results)) }
  }

  private func ended(_ position: Int, _ outcome: RunOutcome) {
    runningCount -= 1
    switch outcome {
    case .finished(let values):
      if values.isFailure {
        let id = stored.makeID()
        let first = values.index(0)
        let status = lull_value_pack(bridge.pointer, values.state, first, first + 1, id)
        return finish(status == 0 ? .failure(id) : .noMemory)
      }
      let status = lull_value_set_element(
        bridge.pointer, values.state, values.index(0), values.count > 0 ? 1 : 0, results,
        Int64(position))
      guard status == 0 else { return finish(.noMemory) }
      progress?.advance(by: 1)
      fill()
    case .failed(let failure): finish(.raised(failure))
    case .gone, .cancelled:
      finish(.cancelled)
    }
  }

  private func finish(_ decision: Decision) {
    guard let decided else { return }
    self.decided = nil
    if case .results = decision { progress?.finish() } else { progress?.drop() }
    scope.end()
    decided(decision)
  }
}
