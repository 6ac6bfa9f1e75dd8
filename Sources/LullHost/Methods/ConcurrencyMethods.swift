import LullCore

extension Method {
  static let concurrencyMethods: [Method] = [
    .function("all", "t") { call throws(Misuse) in try call.combining.gather(call, .all) },
    .function("any", "t") { call throws(Misuse) in try call.combining.gather(call, .any) },
    .function("map", "tfT") { call throws(Misuse) in try call.combining.map(call) },
    .function("timeout", "nf") { call throws(Misuse) in try call.combining.timeout(call) },
    .function("wait_until", "fT") { call throws(Misuse) in try call.combining.waitUntil(call) },
  ]
}
