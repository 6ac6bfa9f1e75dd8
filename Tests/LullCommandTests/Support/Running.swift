/// Runs `lull` with these words until it ends.
func lull(
  _ arguments: String..., input: String? = nil, environment: [String: String] = [:],
  folder: String? = nil
) throws -> Child.Ending {
  try Child(
    Binaries.lull, arguments, environment: environment, folder: folder,
    input: input.map { .text($0) } ?? .nothing
  ).wait()
}

/// Runs the release build of `lull` with these words, in a test that is `measuringRelease`.
func releasedLull(
  _ arguments: String..., input: String? = nil, folder: String? = nil
) throws -> Child.Ending {
  try Child(
    Binaries.released ?? "lull", arguments, folder: folder,
    input: input.map { .text($0) } ?? .nothing
  ).wait()
}

/// Runs a line of shell in which `lull` is on the PATH.
func shell(
  _ line: String, environment: [String: String] = [:], folder: String? = nil
) throws -> Child.Ending {
  var environment = environment
  environment["PATH"] = Binaries.folder + ":" + (Binaries.environment("PATH") ?? "/usr/bin:/bin")
  return try Child("bash", ["-c", line], environment: environment, folder: folder).wait()
}

/// Runs code in a stock interpreter that finds the module.
func startStock(_ code: String) throws -> Child {
  try Child(
    Binaries.lua ?? "lua5.4", ["-e", code],
    environment: ["LUA_CPATH": Binaries.modulePattern])
}
