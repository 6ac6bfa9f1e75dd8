import LullClients
import LullCore
import LullHost

/// The stages of a test file in one host: loading the file, running one of its tests, and cleaning
/// up. The failures of all stages are collected.
///
/// Home thread only.
final class TestStages {
  private let program: ScriptProgram
  private let test: TestCase
  private let chunks: CompiledChunks
  private var functions: Functions?
  /// The failures, each as the text of its report.
  private(set) var failures: [String] = []
  private(set) var leftovers: String?
  private var wasEnded = false
  /// The messages of errors that the test itself has raised. They are not reported a second time.
  private var raised: [String] = []

  private struct Functions {
    let run: Int64
    let tidy: Int64
    let count: Int64
    let modules: Int64
    let finish: Int64
  }

  init(_ program: ScriptProgram, _ test: TestCase, _ chunks: CompiledChunks) {
    self.program = program
    self.test = test
    self.chunks = chunks
    program.host.tasks.keepsArguments = true
    program.host.reporter.program = { [unowned self] failure, place in
      note(failure, in: place)
    }
  }

  // MARK: The file

  /// Loads the test file, which declares its tests. Returns the error report if the file can't be
  /// compiled, otherwise `nil`.
  func load(_ source: [UInt8], _ path: [UInt8]) -> String? {
    guard let functions = makeModule() else {
      failures.append("lull: cannot start: not enough memory\n")
      return nil
    }
    self.functions = functions
    let chunk: Chunk
    do throws(Chunk.Problem) {
      chunk = try chunks.chunk(source, name: [UInt8(ascii: "@")] + path, in: program.host.sources)
    } catch {
      return program.host.reporter.describe(
        syntaxError: error.message, in: source, name: String(escaping: path))
    }
    note(program.run(stage: chunk.callable, as: "the file"), of: "the file")
    return nil
  }

  private func makeModule() -> Functions? {
    guard
      let prelude = try? chunks.chunk(
        // Stack traces hide the frames of a chunk with this name.
        ShippedScript.test.bytes, name: Array("=lull.test".utf8), in: program.host.sources)
    else { return nil }
    defer { prelude.release() }
    let stored = program.host.callbacks.stored
    let answer = program.host.coroutines.ask(
      prelude.callable, [program.host.values.of(TestBox(), .test)], kind: "lull.test"
    ) { results -> Functions? in
      guard let run = try? stored.keep(results.state, results.index(0)), stored.pin(run),
        let tidy = try? stored.keep(results.state, results.index(1)), stored.pin(tidy),
        let count = try? stored.keep(results.state, results.index(2)), stored.pin(count),
        let modules = try? stored.keep(results.state, results.index(3)), stored.pin(modules),
        let finish = try? stored.keep(results.state, results.index(4)), stored.pin(finish)
      else { return nil }
      return Functions(run: run, tidy: tidy, count: count, modules: modules, finish: finish)
    }
    guard case .success(let functions) = answer else { return nil }
    return functions
  }

  // MARK: A test

  /// Runs a test and cleans up.
  ///
  /// - Parameter number: The number of the test in its file, starting at 1.
  func prove(_ number: Int, _ name: String) {
    guard failures.isEmpty, let functions else { return }
    guard test.declared.indices.contains(number - 1), test.declared[number - 1].name == name
    else {
      failures.append(
        "lull: the file does not declare '\(name)' each time it runs: "
          + "declarations must not depend on values that change\n")
      return
    }
    let end = program.run(
      stage: Callable(id: functions.run), [.int(Int64(number))], as: "test '\(name)'")
    note(end, of: "the test")
    if case .ended = end { return }
    for place in 0..<tidyCount(functions) {
      let end = program.run(
        stage: Callable(id: functions.tidy), [.int(Int64(place))], as: "after_each of '\(name)'")
      note(end, of: "test.after_each")
      if case .ended = end { return }
    }
    // Do not check for unfinished work after a failure: the test may have ended before it was done.
    if failures.isEmpty, test.unmet.isEmpty {
      let left = program.host.unfinished
      _ = program.host.coroutines.ask(
        Callable(id: functions.finish),
        [left.functions, left.arguments, left.requests, left.unstarted, left.observers].map {
          .list($0)
        }, kind: "lull.test"
      ) { _ in }
    }
    let left = program.host.leftovers
    leftovers = left.isEmpty ? nil : left.text
  }

  private func tidyCount(_ functions: Functions) -> Int {
    let answer = program.host.coroutines.ask(Callable(id: functions.count), [], kind: "lull.test") {
      Int($0[0].double ?? 0)
    }
    guard case .success(let count) = answer else { return 0 }
    return count
  }

  /// The files of the modules and API files that the test file has loaded.
  var loadedFiles: [String] {
    // After an interruption, the Lua state must not be used.
    guard let functions, !wasEnded else { return [] }
    let answer = program.host.coroutines.ask(
      Callable(id: functions.modules), [], kind: "lull.test"
    ) { results in (0..<results.count).compactMap { results[$0].string } }
    guard case .success(let modules) = answer else { return [] }
    return modules + program.host.part(APIFiles.self).paths
  }

  // MARK: Failures

  private func note(_ end: ScriptProgram.StageEnd, of what: String) {
    switch end {
    case .finished: break
    case .failed(let failure): note(failure, in: nil)
    case .stuck(let text):
      failures.append(
        "lull: deadlock: \(what) is waiting and no timer, request or task can wake it\n  \(text)\n")
    case .ended(let failure):
      wasEnded = true
      if let text = program.host.reporter.describePassedLimit(failure) {
        program.host.reporter.forgoLimit()
        failures.append(text)
      } else if let code = program.host.loop.exitCode {
        failures.append("lull: \(what) called os.exit(\(code)), which does not end a test\n")
        program.host.loop.exitCode = nil
      } else {
        failures.append("lull: \(what) was interrupted\n")
      }
    }
  }

  private func note(_ failure: ScriptFailure, in place: String?) {
    raised.append(failure.message)
    failures.append(program.host.reporter.describe(failure, in: place))
  }

  /// Ends the program. An expectation that was not met is a failure even if the script has caught
  /// its error.
  func end() {
    program.endStages()
    for text in test.unmet where !raised.contains(where: { $0.hasSuffix(text) }) {
      raised.append(text)
      failures.append(program.host.reporter.describe(ScriptFailure(message: text)))
    }
  }
}
