import LullCore
import LullTestSupport
import LullTesting

extension Request {
  /// Its state, or how it ended: the text of its entity or the message of its error.
  var outcome: String {
    guard let response else { return state.rawValue }
    let text = response.entity.map { $0.text ?? $0.content.typeName }
    return (text ?? response.error?.userMessage ?? "?") + (response.isNew ? "" : " (not new)")
  }

  var causeKind: String? { response?.error?.cause?.kind }
}

extension Harness {
  /// What was sent, as method and last path component.
  var sent: [String] {
    provider.requests.map { "\($0.method) \($0.url.split(separator: "/").last ?? "")" }
  }
}

/// Names an object for functions that it keeps itself.
final class Weak<Object: AnyObject> {
  weak var object: Object?

  init(_ object: Object? = nil) { self.object = object }
}

extension ResponseTransformer where Self == FunctionTransformer {
  /// Appends a word to whatever text or bytes there are.
  static func appending(_ word: String) -> FunctionTransformer {
    FunctionTransformer(description: word) { response in
      guard var entity = response.entity else { return response }
      switch entity.content {
      case .bytes(let bytes): entity.content = .text(String(decoding: bytes, as: UTF8.self) + word)
      case .text(let text): entity.content = .text(text + word)
      default: break
      }
      return .success(entity, isNew: response.isNew)
    }
  }
}
