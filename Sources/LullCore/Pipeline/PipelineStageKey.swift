/// Names one stage; identity is by object, so two keys of the same description differ. (PIPE-10)
public final class PipelineStageKey: Sendable, Hashable, CustomStringConvertible {
  public let description: String

  public init(description: String) {
    self.description = description
  }

  public static let rawData = PipelineStageKey(description: "raw_data")
  public static let decoding = PipelineStageKey(description: "decoding")
  public static let parsing = PipelineStageKey(description: "parsing")
  public static let model = PipelineStageKey(description: "model")
  public static let cleanup = PipelineStageKey(description: "cleanup")

  /// The default order. (PIPE-01)
  public static let standardOrder = [rawData, decoding, parsing, model, cleanup]

  public static func == (left: PipelineStageKey, right: PipelineStageKey) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
