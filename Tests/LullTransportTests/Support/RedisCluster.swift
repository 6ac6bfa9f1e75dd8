import LullLibC
import LullTestSupport

/// Two of Debian's servers, each of which has half of all slots; they end with this object.
final class RedisCluster {
  let nodes: [RedisServer]
  /// Of the first one.
  let replica: RedisServer?

  /// nil if they are missing, or do not find each other.
  init?(hasReplica: Bool = false) {
    let buses = RawSocket.freePorts(hasReplica ? 3 : 2)
    let servers = buses.compactMap { RedisServer("--cluster-enabled yes --cluster-port \($0)") }
    guard servers.count == (hasReplica ? 3 : 2) else { return nil }
    nodes = Array(servers.prefix(2))
    replica = hasReplica ? servers[2] : nil
    _ = nodes[0].say("cluster addslotsrange 0 8191")
    _ = nodes[1].say("cluster addslotsrange 8192 16383")
    for (server, bus) in zip(servers, buses).dropFirst() {
      _ = nodes[0].say("cluster meet 127.0.0.1 \(server.port) \(bus)")
    }
    for server in servers {
      guard RedisCluster.becomes(server, "cluster_state:ok"),
        RedisCluster.becomes(server, "cluster_known_nodes:\(servers.count)")
      else { return nil }
    }
    guard let replica else { return }
    let id = nodes[0].say("cluster myid").first ?? ""
    _ = replica.say("cluster replicate \(id)")
    for _ in 0..<600
    where !nodes[0].say("info replication").contains(where: { $0.contains("state=online") }) {
      usleep(50_000)
    }
  }

  private static func becomes(_ server: RedisServer, _ line: String) -> Bool {
    for _ in 0..<600 {
      if server.say("cluster info").contains(where: { $0.contains(line) }) { return true }
      usleep(50_000)
    }
    return false
  }

  /// Of one of them.
  var url: String { "redis://127.0.0.1:\(nodes[0].port)" }
}
