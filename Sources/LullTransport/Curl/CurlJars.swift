import LullCore

/// The cookie jars of one provider, by the objects in request options. Home thread only.
final class CurlJars {
  private struct Entry {
    /// The object in the request options; nil when the jar is no longer used.
    weak var name: CookieJar?
    var jar: CurlJar
  }

  private var unnamed: [ObjectIdentifier: Entry] = [:]
  private var files: [String: CurlJar] = [:]
  private var sweepSize = 16
  private var changed: [CurlJar] = []
  /// Files that could not be written, so that each is reported once.
  private var failed: Set<String> = []

  /// Throws if the jar has a file that cannot be read.
  func jar(_ name: CookieJar) throws(TransportError) -> CurlJar {
    if let file = name.file {
      if let jar = files[file] { return jar }
      let jar = try CurlJar(name)
      files[file] = jar
      return jar
    }
    if let entry = unnamed[ObjectIdentifier(name)], entry.name === name { return entry.jar }
    if unnamed.count >= sweepSize {
      unnamed = unnamed.filter { $0.value.name != nil }
      sweepSize = max(16, unnamed.count * 2)
    }
    let jar = try CurlJar(name)
    unnamed[ObjectIdentifier(name)] = Entry(name: name, jar: jar)
    return jar
  }

  /// Records that an exchange with this jar has ended.
  func mayHaveChanged(_ jar: CurlJar) {
    if !changed.contains(where: { $0 === jar }) { changed.append(jar) }
  }

  /// Writes the changed jars to their files. Must be called before the responses that changed the
  /// jars are reported.
  func save(_ complain: (String) -> Void) {
    guard !changed.isEmpty else { return }
    for jar in changed {
      guard let error = jar.save(), failed.insert(error.message).inserted else { continue }
      complain(error.message)
    }
    changed = []
  }
}
