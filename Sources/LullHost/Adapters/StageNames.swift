import CLullBridge
import LullCore

/// Finds pipeline stages, including a script's own stages, by their names in scripts.
///
/// Home thread only.
final class StageNames {
  private var keys = Dictionary(
    uniqueKeysWithValues: PipelineStageKey.standardOrder.map { ($0.description, $0) })

  /// Returns the stages for a list of names, in the order of the list. A name that is not known
  /// creates a new stage.
  func order(_ value: lull_value, _ index: Int32, _ state: OpaquePointer?) throws(Misuse)
    -> [PipelineStageKey]
  {
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("'order' must be a list of stage names, got \(value.typeName)")
    }
    var names: [(position: Int64, name: String)] = []
    try LuaTable(index, in: state).forEachField { key, element throws(Misuse) in
      guard key.kind == Int32(LULL_INTEGER), let name = element.string, !name.isEmpty
      else { throw .message("'order' must be a list of stage names") }
      guard !["order", "clear"].contains(name) else {
        throw .message("a stage cannot be named '\(name)'")
      }
      if names.contains(where: { $0.name == name }) {
        throw .message("'order' names the stage '\(name)' more than once")
      }
      names.append((key.integer, name))
    }
    return names.sorted { $0.position < $1.position }.map { entry in
      if let known = keys[entry.name] { return known }
      let key = PipelineStageKey(description: entry.name)
      keys[entry.name] = key
      return key
    }
  }

  /// Returns the stage with that name in a pipeline. A standard stage is also found if the pipeline
  /// does not have it.
  func key(_ name: String, in pipeline: Pipeline) throws(Misuse) -> PipelineStageKey {
    let candidates = pipeline.order + PipelineStageKey.standardOrder
    if let key = candidates.first(where: { $0.description == name }) { return key }
    throw unknownStage(name, among: candidates.map(\.description))
  }

  /// Returns the stage with that name among all known stages, whether or not a pipeline has it.
  func key(_ name: String) throws(Misuse) -> PipelineStageKey {
    if let key = keys[name] { return key }
    throw unknownStage(name, among: keys.keys.sorted())
  }

  private func unknownStage(_ name: String, among known: [String]) -> Misuse {
    var seen: Set<String> = []
    let names = known.filter { seen.insert($0).inserted }.joined(separator: ", ")
    return .message(
      "there is no stage '\(name)'; the stages are \(names), and those named in pipeline.order")
  }
}
