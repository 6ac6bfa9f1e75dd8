/// How a transformer joins the others of its stage.
public enum TransformerAction: String, Sendable, CaseIterable {
  /// In place of those that are there for the same URL and method. (TRF-17, TRF-22)
  case replace
  /// After them. (TRF-18)
  case append
}
