import LullCore

/// Remembers how the last body was spelled, so that what is written of its JSON has the server's own
/// digits: a document keeps numbers as numbers. (JSN-12)
final class BodySpelling {
  /// The body as it came, of a failure too; nil before there is any.
  private(set) var bytes: [UInt8]?

  /// Sees all answers that these settings are for, before anything changes them.
  func watch(_ settings: inout Configuration) {
    guard let stage = settings.pipeline.order.first else { return }
    let watching = FunctionTransformer(description: "spelling of the body") { [self] response in
      let entity = response.entity ?? response.error?.entity
      if case .bytes(let bytes)? = entity?.content { self.bytes = bytes }
      return response
    }
    settings.pipeline[stage].transformers.insert(watching, at: 0)
  }
}
