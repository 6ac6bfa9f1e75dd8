import LullLibC
import LullClients
import LullCore
import LullHost
import LullSystem

/// Runs a test file in a new Lua state and host, either to list its tests or to run one of them.
///
/// Home thread only.
///
/// Behaviours: PRV-01 to PRV-152.
final class TestRun {
  private let settings: TestSettings
  /// Returns the bytes that were written to standard output and standard error since the test
  /// began.
  private let printed: () -> [UInt8]
  private let cache = CassetteCache()
  /// The recordings of the last test. They determine which values are hidden in its output.
  private var hiding = CassetteSet()
  /// The recorders for requests without a recorded response. `nil` if nothing is recorded.
  private let recorders: CassetteRecorders?
  private let chunks = CompiledChunks()
  /// The test file that was read last. The next order is usually for the same file.
  private var latest: (file: String, source: [UInt8])?

  init(settings: TestSettings, printed: @escaping () -> [UInt8]) {
    self.settings = settings
    self.printed = printed
    recorders =
      settings.recording == .none
      ? nil : CassetteRecorders(settings.recording, folder: settings.folder)
  }

  func carryOut(_ order: TestOrder) -> TestReply {
    if let api = order.api { return describe(api) }
    var reply = TestReply()
    hiding = CassetteSet()
    let start = SystemClock.uptime
    do throws(SnapshotFile.Problem) {
      let snapshots = try SnapshotFile(of: order.file)
      run(order, snapshots, &reply)
    } catch {
      reply.failures.append("lull: \(error.text)\n")
    }
    reply.seconds = SystemClock.uptime - start
    return reply
  }

  /// Returns a description of the calls that an API file declares.
  private func describe(_ api: String) -> TestReply {
    var reply = TestReply()
    var limits = ScriptLimits(time: settings.longest)
    limits.subject = "the API file"
    guard let environment = try? HeldEnvironment(cache),
      let program = ScriptProgram(
        environment: environment, library: .withTests, limits: limits),
      program.open(folder: nil, words: [Array(api.utf8)])
    else {
      reply.unreadable = "lull: cannot start: not enough memory\n"
      return reply
    }
    let files = program.host.part(APIFiles.self)
    do throws(APIFileProblem) {
      reply.api = try DeclaredAPI(try files.api(api), of: api)
    } catch {
      let text = files.describe(error)
      reply.unreadable = text.isEmpty ? "lull: '\(api)' did not finish loading\n" : text
    }
    program.endStages()
    return reply
  }

  private func read(_ file: String) -> Result<[UInt8], TextFile.Problem> {
    if let latest, latest.file == file { return .success(latest.source) }
    let source = TextFile.read(Array(file.utf8)).map { SourceText.withoutFirstLineMarks($0) }
    latest = (try? source.get()).map { (file, $0) }
    return source
  }

  private func run(_ order: TestOrder, _ snapshots: SnapshotFile, _ reply: inout TestReply) {
    let path = Array(order.file.utf8)
    let source: [UInt8]
    switch read(order.file) {
    case .success(let bytes): source = bytes
    case .failure(let problem):
      reply.unreadable = "lull: cannot read \(String(escaping: problem.message))\n"
      return
    }
    let environment: HeldEnvironment
    do throws(TransportError) {
      recorders?.isPartial = order.isPartial
      environment = try HeldEnvironment(cache, recording: order.number == nil ? nil : recorders)
    } catch {
      reply.failures.append("lull: \(error.message)\n")
      return
    }
    var limits = ScriptLimits(time: settings.longest)
    limits.subject = order.number == nil ? "the file" : "the test"
    guard
      let program = ScriptProgram(
        environment: environment, library: .withTests, limits: limits),
      program.open(folder: FileName.folder(of: path), words: [path])
    else {
      reply.failures.append("lull: cannot start: not enough memory\n")
      return
    }
    let test = program.host.part(TestCase.self)
    test.snapshots = TestSnapshots(
      known: snapshots.entries, isUpdating: settings.isUpdating, isReadOnly: settings.isReadOnly)
    test.folder = FileName.folder(of: path)
    test.printed = printed
    // Writes need no confirmation, because the test answers the requests. While recording, they are
    // sent, so they do. (ENV-14)
    program.host.part(APIFiles.self).confirmsWrites = settings.recording == .none
    let tags = CallTags()
    program.host.part(APIFiles.self).onUse = { [network = environment.network] use in
      tags.note(use, after: network.exchanges.count)
    }
    let stages = TestStages(program, test, chunks)
    if let unreadable = stages.load(source, path) {
      reply.unreadable = unreadable
    } else if let number = order.number {
      stages.prove(number, order.name ?? "")
      reply.leftovers = stages.leftovers
    }
    if order.number == nil { reply.declared = test.declared }
    reply.loaded = stages.loadedFiles
    stages.end()
    reply.failures = stages.failures
    if order.number != nil {
      reply.failures += environment.network.misses.map { "lull: \($0)\n" }
      let exchanges = environment.network.exchanges
      reply.exchanges = exchanges.prefix(ShownExchange.most).map { ShownExchange($0) }
      reply.moreExchanges = exchanges.count - reply.exchanges.count
      reply.calls = tags.uses(in: exchanges)
    }
    var cassettes = environment.network.cassettes
    reply.cassettes = cassettes.cassettes.map(\.use)
    reply.notes = cassettes.lateCredentials
    if reply.failures.isEmpty {
      do throws(CassetteSet.Problem) {
        reply.recordings = try cassettes.keep()
      } catch {
        reply.failures.append("lull: \(error.text)\n")
      }
    }
    reply.expectationCount = test.expectationCount
    reply.heldSeconds = environment.clock.uptime
    reply.usedSnapshots = test.snapshots.used
    reply.snapshots = test.snapshots.made
    reply.hide { cassettes.hidden($0) }
    hiding = cassettes
  }

  /// Returns an output without the values that the recordings of the test hide.
  func hidden(_ output: String) -> String { hiding.hidden(output) }
}
