extension RequestError.Cause {
  /// Why content is not of a type that was asked for, of what its decoding has thrown.
  package init(decoding type: any Any.Type, _ error: any Error) {
    let context: DecodingError.Context
    switch error {
    case let error as DecodingError:
      switch error {
      case .typeMismatch(_, let found), .valueNotFound(_, let found), .keyNotFound(_, let found),
        .dataCorrupted(let found):
        context = found
      @unknown default:
        self = .custom(error)
        return
      }
    default:
      self = .custom(error)
      return
    }
    self = .wrongContent(
      type: String(describing: type), path: CodingPathText.text(context.codingPath),
      message: context.debugDescription)
  }
}
