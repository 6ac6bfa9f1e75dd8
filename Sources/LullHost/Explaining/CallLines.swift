import LullCore
import LullLuaSource

/// Finds the line of a key inside a call, for example the line of a setting inside `configure{…}`.
/// Each file and each call is read only once.
final class CallLines {
  private let sources: ChunkSources
  private var files: [String: DeclarationPlaces?] = [:]
  private var calls: [SourcePlace: [String: Int]] = [:]

  init(_ sources: ChunkSources) {
    self.sources = sources
  }

  /// Returns the line of a key inside the brackets of the call at `place`. Returns nil if the key
  /// is not written inside the brackets, for example because the table was created elsewhere.
  func line(of key: String, inCallAt place: SourcePlace) -> Int? {
    if let lines = calls[place] { return lines[key.lowercased()] }
    let lines = places(in: place.file).flatMap { CallBrackets($0, line: place.line)?.lines } ?? [:]
    calls[place] = lines
    return lines[key.lowercased()]
  }

  private func places(in file: String) -> DeclarationPlaces? {
    if let known = files[file] { return known }
    let text = sources.source(named: file).flatMap { sources.text(of: $0) }
    let places = text.map { DeclarationPlaces($0) }
    files[file] = .some(places)
    return places
  }
}
