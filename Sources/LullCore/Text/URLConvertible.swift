/// What names a URL where one is wanted: a string, a `ResourceURL`, or a type of the program's own.
///
/// The text need not be a URL. What then happens is for whoever asks: a service has no base (SVC-04), a
/// resource is invalid and its requests fail (SVC-17). Any thread. Lua: a string.
///
///     extension Foundation.URL: @retroactive URLConvertible {
///       public var urlText: String { absoluteString }
///     }
public protocol URLConvertible {
  /// The URL as it is written.
  var urlText: String { get }
}

extension URLConvertible {
  /// The URL; nil if the text is none, or a relative one.
  public var url: ResourceURL? { ResourceURL(absolute: urlText) }
}

extension String: URLConvertible {
  /// The string itself.
  public var urlText: String { self }
}

extension ResourceURL: URLConvertible {
  /// The URL as it stands.
  public var urlText: String { text }
}
