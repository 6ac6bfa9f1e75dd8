import Glibc
package import LullCore
import LullHost
import LullSystem
import Synchronization

/// A file that takes the body of an answer as it arrives: nobody sees it before all of it is there.
///
/// It is made before anything is sent. The bytes go into a file without a name in the same folder,
/// which `finish` puts in its place, so that nothing is left however the process ends; where the file
/// system knows no such files, into a hidden one beside it. Devices, pipes and standard output are
/// written at once. Any thread.
package final class Download: Sendable {
  package struct Problem: Error {
    /// The path, and what is wrong with it.
    package let text: String
    /// Whoever reads what is written has had enough.
    package var isUnread = false

    fileprivate init(_ path: String, _ text: String) { self.text = "\(path): \(text)" }
    fileprivate init(_ path: String, errno code: Int32) {
      // A message of the C library, copied at once.
      self.init(path, ErrorText.of(code))
      isUnread = code == EPIPE
    }
  }

  private struct State {
    var place: DownloadPlace
    var size = 0
    var hasBegun = false
    var isOver = false
    var problem: Problem?
    /// Of what is shown on a terminal.
    var filter: TerminalText?
  }

  /// As it was given, for messages.
  private let path: String
  private let state: Mutex<State>

  /// - Parameter path: `-` for standard output. A file that is there is replaced when all has arrived,
  ///   and keeps its mode.
  package init(to path: String) throws(Problem) {
    self.path = path == "-" ? "standard output" : path
    do throws(DownloadPlace.Failure) {
      state = Mutex(State(place: try path == "-" ? .standardOutput : .found(path)))
    } catch {
      throw Problem(self.path, error.text)
    }
  }

  deinit { _ = state.withLock { $0.place.discard() } }

  /// To be named in a request; holds the download.
  package var sink: BodySink {
    BodySink(begin: { self.begin($0) }, take: { self.take($0) ? .more : .refuse })
  }

  /// Whether any of a body has come.
  package var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// Why not everything could be written; nil if it could.
  package var problem: Problem? { state.withLock { $0.problem } }

  /// Takes all of a body that did not come piece by piece, of an answer with that status.
  package func take(whole bytes: [UInt8], status: Int) {
    guard begin(HTTPResponse(status: status)) else { return }
    bytes.withUnsafeBufferPointer { _ = take($0) }
  }

  /// Puts the file in its place.
  package func finish() throws(Problem) {
    let problem: Problem? = state.withLock { state in
      guard !state.isOver, state.problem == nil else { return state.problem }
      state.isOver = true
      let rest = state.filter?.end() ?? []
      if let code = DescriptorWriting.put(rest, into: state.place.descriptor) {
        return Problem(path, errno: code)
      }
      return state.place.finish().map { Problem(path, errno: $0) }
    }
    if let problem { throw problem }
  }

  private func begin(_ head: HTTPResponse) -> Bool {
    // What scripts have printed came before.
    fflush(nil)
    return state.withLock { state in
      guard !state.isOver, state.problem == nil else { return false }
      // Nothing here asks for a part and knows where it belongs. (RFC 9110, 15.3.7)
      guard head.status != 206 else {
        state.problem = Problem(
          path,
          "the server has sent a part only (206), which is not saved in the place of the "
            + "whole; -o raw writes what comes")
        return false
      }
      if state.size > 0 {
        guard state.place.empty() else {
          state.problem = Problem(
            path, "what came broke off, and what is written cannot be taken back")
          return false
        }
        state.size = 0
      }
      state.hasBegun = true
      if isatty(state.place.descriptor) != 0 { state.filter = TerminalText() }
      return true
    }
  }

  private func take(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    state.withLock { state in
      guard !state.isOver, state.problem == nil else { return false }
      let failure: Int32?
      if let shown = state.filter?.visible(bytes) {
        failure = DescriptorWriting.put(shown, into: state.place.descriptor)
      } else {
        failure = DescriptorWriting.put(bytes, into: state.place.descriptor)
      }
      if let code = failure {
        state.problem = Problem(path, errno: code)
        return false
      }
      state.size += bytes.count
      return true
    }
  }
}
