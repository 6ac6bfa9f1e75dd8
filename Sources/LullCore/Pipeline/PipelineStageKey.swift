/// Names one stage; identity is by object, so two keys of the same description differ. (PIPE-10)
public final class PipelineStageKey: Sendable, Hashable, CustomStringConvertible {
  /// As logs and Lua call it.
  public let description: String

  /// A stage of one's own, which runs where an order names it. (PIPE-04)
  public init(description: String) {
    self.description = description
  }

  /// The body as it came, before anything is made of it.
  public static let rawData = PipelineStageKey(description: "raw_data")
  /// Bytes from bytes, such as decrypted ones.
  public static let decoding = PipelineStageKey(description: "decoding")
  /// Text and JSON from bytes; the standard transformers are here.
  public static let parsing = PipelineStageKey(description: "parsing")
  /// A program's own types from these.
  public static let model = PipelineStageKey(description: "model")
  /// What is done with a result, whatever it is.
  public static let cleanup = PipelineStageKey(description: "cleanup")

  /// The default order. (PIPE-01)
  public static let standardOrder = [rawData, decoding, parsing, model, cleanup]

  public static func == (left: PipelineStageKey, right: PipelineStageKey) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
