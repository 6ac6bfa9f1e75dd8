import LullClients
import LullCore
import LullSystem

/// The files that options of a call name.
enum CallFiles {
  /// The value with `~/` as the home folder; a file that cannot be read is none.
  static func found(
    _ value: CallValue, option: String
  ) throws(APICall.Misfit) -> CallValue {
    switch value {
    case .file(let file): return .file(try found(file, option: option))
    case .list(let elements):
      var found: [CallValue] = []
      for element in elements { found.append(try self.found(element, option: option)) }
      return .list(found)
    default: return value
    }
  }

  private static func found(
    _ file: UploadFile, option: String
  ) throws(APICall.Misfit) -> UploadFile {
    let path = HomeFolder.expanded(file.path.description)
    if let reason = ReadableFile.problem(Array(path.utf8)) {
      throw APICall.Misfit(message: "'\(option)': cannot read '\(path)': \(reason)")
    }
    return UploadFile(ByteString(path))
  }
}
