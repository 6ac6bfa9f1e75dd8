import LullCore

/// A script that a server runs, all of it at once for everybody.
struct ServerScript: Sendable {
  let text: String
  /// What `EVALSHA` knows it by; nil without a library for digests.
  let digest: String?

  init(_ text: String) {
    self.text = text
    digest = Digest.sha1.of(text).map { Hexadecimal.text($0) }
  }

  /// Counts this host, for as many seconds as it says, and returns how many there are.
  ///
  /// The score is 300 seconds before the end, as version 0.2 expects, which removes entries by that age. (SHR-37)
  static let hosts = ServerScript(
    """
    if redis.replicate_commands then redis.replicate_commands() end
    local now = tonumber(redis.call('TIME')[1])
    redis.call('ZADD', KEYS[1], now - 300 + tonumber(ARGV[2]), ARGV[1])
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 300)
    redis.call('EXPIRE', KEYS[1], \(Int(ShareMemory.longest) + 600))
    return redis.call('ZCARD', KEYS[1])
    """)
}

/// One call of a script, whose keys are all in one place of a cluster.
struct ScriptCall {
  let script: ServerScript
  let keys: [String]
  let arguments: [String]
  /// Further arguments, which are no text.
  var payload: [[UInt8]] = []

  func command(byDigest: Bool) -> RESPCommand {
    var words =
      byDigest
      ? script.digest.map { ["EVALSHA", $0] } ?? ["EVAL", script.text] : ["EVAL", script.text]
    words.append("\(keys.count)")
    words += keys
    words += arguments
    return RESPCommand(words.map { Array($0.utf8) } + payload)
  }

  /// What decides where a cluster keeps them.
  var tag: String {
    guard let key = keys.first, let start = key.firstIndex(of: "{"),
      let end = key.firstIndex(of: "}"), start < end
    else { return "" }
    return String(key[start...end])
  }
}
