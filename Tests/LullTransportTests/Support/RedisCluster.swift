import LullLibC
import LullTesting

/// Two of Debian's servers, each of which has half of all slots; they end with this object.
final class RedisCluster {
  let nodes: [RedisServer]

  /// nil if they are missing, or do not find each other.
  init?() {
    let buses = RawSocket.freePorts(2)
    let nodes = buses.compactMap { RedisServer("--cluster-enabled yes --cluster-port \($0)") }
    guard buses.count == 2, nodes.count == 2 else { return nil }
    self.nodes = nodes
    _ = nodes[0].say("cluster addslotsrange 0 8191")
    _ = nodes[1].say("cluster addslotsrange 8192 16383")
    _ = nodes[0].say("cluster meet 127.0.0.1 \(nodes[1].port) \(buses[1])")
    for node in nodes {
      var isReady = false
      for _ in 0..<600 where !isReady {
        isReady = node.say("cluster info").contains { $0.contains("cluster_state:ok") }
        if !isReady { usleep(50_000) }
      }
      guard isReady else { return nil }
    }
  }

  /// Of one of them.
  var url: String { "redis://127.0.0.1:\(nodes[0].port)" }
}
