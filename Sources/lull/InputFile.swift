import LullClients
import LullCore
import LullHost
import LullREPL
import LullSystem

/// The file that a word of a command names, read whole; `-` names standard input.
enum InputFile {
  struct Unreadable: Error {
    /// Begins with the file's name.
    let message: String
  }

  private static let standardInput = "-"

  static func isStandardInput(_ word: String) -> Bool { word == standardInput }

  /// Its name in messages.
  static func shownName(_ word: String) -> String {
    isStandardInput(word) ? StandardInput.name : ControlCharacters.shown(in: word)
  }

  /// - Parameter limit: more bytes than that are refused.
  static func read(
    _ word: String, limit: Int = TextFile.largest
  ) throws(Unreadable) -> [UInt8] {
    guard isStandardInput(word) else {
      do throws(TextFile.Problem) {
        return try TextFile.read(Array(word.utf8), limit: limit).get()
      } catch {
        throw Unreadable(message: String(escaping: error.message))
      }
    }
    do throws(SourceFile.Unreadable) {
      // Without the loop a signal ends the process.
      return try StandardInput(tellsSilence: false) { false }.read(limit: limit) ?? []
    } catch {
      throw Unreadable(message: "\(error.name): \(error.reason)")
    }
  }
}
