import LullClients
import LullCore

/// One side of a comparison: a file in the working tree or in a revision.
struct ComparedFile {
  /// The path to read. `nil` if the revision does not have the file.
  let path: String?
  /// The path as shown to users.
  let known: String
  /// The environment to compare. `nil`: every environment is compared.
  let environment: String?
  let folder: RevisionFolder?

  init(path: String?, known: String, environment: String?, of folder: RevisionFolder?) {
    self.path = path
    self.known = known
    self.environment = environment
    self.folder = folder
  }

  var shownName: String {
    (folder.map { "\($0.revision):\(known)" } ?? known) + (environment.map { "@\($0)" } ?? "")
  }

  /// Whether the file does not exist on this side, or is a module.
  var isNoAPI: Bool {
    do throws(SnapshotBuilder.Failure) {
      guard path != nil else { return true }
      _ = try snapshot(environment, [])
      return false
    } catch {
      return error.isOfModule
    }
  }

  /// Returns the snapshot of the file in an environment. If `environment` is `nil`, the snapshot of
  /// the file without an environment. The snapshot of a missing file is empty.
  func snapshot(
    _ environment: String?, _ targets: [APISnapshot.Target]
  ) throws(SnapshotBuilder.Failure) -> APISnapshot {
    guard let path else {
      var snapshot = APISnapshot()
      snapshot.sets = [[]]
      snapshot.places = targets.map { _ in 0 }
      return snapshot
    }
    return try SnapshotBuilder(
      path: path, environment: environment,
      shown: { [folder] text in folder?.shown(in: text) ?? text }
    ).snapshot(of: targets)
  }
}

/// Compares two files in the selected environments.
struct FileComparison {
  private let before: ComparedFile
  private let after: ComparedFile
  /// The environment of both files. `nil`: all environments.
  private let environment: String?

  init(_ before: ComparedFile, _ after: ComparedFile, _ environment: String?) {
    self.before = before
    self.after = after
    self.environment = environment
  }

  /// - Parameter targets: The URLs to compare. `nil`: the URLs of the declared calls.
  func difference(
    of targets: [APISnapshot.Target]?
  ) throws(SnapshotBuilder.Failure) -> APIDifference {
    var difference = APIDifference()
    let isOfOne = before.environment != nil || after.environment != nil
    let pair =
      environment.map { ($0, $0) } ?? (isOfOne ? (before.environment, after.environment) : nil)
    if before.path == nil { difference.change = .added }
    if after.path == nil { difference.change = .removed }
    // First find the calls and environments.
    let (old, new) = try snapshots(pair ?? (nil, nil), [])
    difference.addCalls(old.calls, new.calls)
    if difference.change == nil, pair == nil {
      difference.addEnvironments(old.environments, new.environments)
    }
    let areGiven = targets != nil
    let targets = targets ?? FileComparison.targets(old.calls + new.calls)
    if let pair {
      let (old, new) = try snapshots(pair, targets)
      difference.add(old, new, in: environment, of: targets)
      return difference
    }
    let common =
      difference.change == nil
      ? new.environments.filter { old.environments.contains($0) }
      : old.environments + new.environments
    for name in [nil] + common.map({ Optional($0) }) {
      var (old, new) = try snapshots((name, name), targets)
      var targets = targets
      if name != nil, !areGiven {
        // Some calls may exist only in an environment.
        let all = FileComparison.targets(old.calls + new.calls, besides: targets)
        if all.count > targets.count {
          targets = all
          (old, new) = try snapshots((name, name), targets)
        }
      }
      if name != nil { difference.addCalls(old.calls, new.calls, in: name) }
      difference.add(old, new, in: name, of: targets)
    }
    return difference
  }

  private func snapshots(_ environments: (String?, String?), _ targets: [APISnapshot.Target])
    throws(SnapshotBuilder.Failure) -> (APISnapshot, APISnapshot)
  {
    (try before.snapshot(environments.0, targets), try after.snapshot(environments.1, targets))
  }

  /// Appends the targets of the calls to the known targets, without duplicates. If there is no
  /// target at all, returns the root.
  private static func targets(
    _ calls: [APISnapshot.Call], besides known: [APISnapshot.Target] = []
  ) -> [APISnapshot.Target] {
    var seen = Set(known.map(\.label))
    let targets =
      known
      + calls.map {
        APISnapshot.Target(
          label: "\($0.method) \($0.path)", method: $0.configuredMethod, path: $0.sample)
      }.filter { seen.insert($0.label).inserted }
    return targets.isEmpty ? [APISnapshot.Target(label: "/", method: .get, path: "/")] : targets
  }
}
