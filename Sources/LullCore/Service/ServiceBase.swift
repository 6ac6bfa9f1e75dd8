/// The base of a service, and what is to be said of one that is no URL.
struct ServiceBase {
  let url: ResourceURL?
  /// What was given and is no URL.
  let invalid: String?
  /// What URLs of the base's origin begin with, as far as they are written like it.
  private let origin: String?

  init(_ text: (any URLConvertible)?) {
    let text = text?.urlText
    url = text.flatMap { ResourceURL.base($0) }
    invalid = url == nil ? text : nil
    origin = url.map { $0.origin + "/" }
  }

  var warning: String? {
    invalid.map { text in
      let message = RequestError.Cause.invalidURL(source: text).message
      return "warning: \(message); the service has no base URL"
    }
  }

  /// Whether a URL is on another origin than the base, if there is one.
  func isOutside(_ other: ResourceURL) -> Bool {
    guard let origin else { return false }
    return !other.text.utf8.starts(with: origin.utf8) && other.origin + "/" != origin
  }
}
