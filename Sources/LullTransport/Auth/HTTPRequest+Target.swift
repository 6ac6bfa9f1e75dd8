import LullCore

extension HTTPRequest {
  /// Path and query as they go out.
  var target: String {
    guard let text = ResourceURL.address(of: url)?.target else { return "/" }
    let target = text.prefix { $0 != "#" }
    return target.first == "/" ? String(target) : "/" + target
  }
}
