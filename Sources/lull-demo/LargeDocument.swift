import Foundation

/// A JSON array as large as wanted. The last one is kept, so that measuring a client against it
/// does not measure this server.
actor LargeDocument {
  private var last: (items: Int, data: Data) = (-1, Data())

  func data(items: Int) -> Data {
    if last.items != items { last = (items, Self.make(items: items)) }
    return last.data
  }

  private static func make(items: Int) -> Data {
    let colors = ["red", "green", "blue", "amber", "violet", "teal", "white"]
    var bytes: [UInt8] = []
    bytes.reserveCapacity(items * 190 + 4)
    bytes.append(UInt8(ascii: "["))
    for id in 1..<items + 1 {
      if id > 1 { bytes.append(UInt8(ascii: ",")) }
      let tags = [colors[id % 7], colors[(id + 2) % 7], colors[(id + 5) % 7]]
      bytes.append(
        contentsOf: """
          {"id":\(id),"name":"Item number \(id)","tags":["\(tags.joined(separator: "\",\""))"],\
          "nested":{"group":\(id % 100),"owner":{"id":\(id % 25 + 1),"active":\(id % 2 == 0)},\
          "path":"/groups/\(id % 100)/items/\(id)"},"score":\(Double(id * 7919 % 10_000) / 100)}
          """.utf8)
    }
    bytes.append(contentsOf: "]\n".utf8)
    return Data(bytes)
  }
}
