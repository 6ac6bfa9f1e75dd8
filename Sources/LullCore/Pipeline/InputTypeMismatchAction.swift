/// What a content transformer does with content that is not of its input type.
public enum InputTypeMismatchAction: String, Sendable, CaseIterable {
  /// The response becomes a failure with the cause `wrongInputTypeInTransformerPipeline`. (TRF-09)
  case error
  /// The response passes unchanged. (TRF-10)
  case skip
  /// It passes unchanged if it is of the output type already, and is an error else. (TRF-11, TRF-12)
  case skipIfOutputTypeMatches = "skip_if_output_type_matches"
}
