import Glibc

/// An element of the document from `documents.py`.
public struct Volcano: Decodable, Equatable, Sendable {
  public enum Status: String, Decodable, Sendable { case active, dormant }

  public struct Position: Decodable, Equatable, Sendable {
    public var lat: Double
    public var lon: Double
  }

  public var id: Int
  public var name: String
  public var status: Status
  public var position: Position
  public var elevation: Int
  public var monitored: Bool
  public var last: Int?
  public var tags: [String]
  public var note: String
}

/// Decodes the file given by the first argument. The second argument is the number of measured
/// runs, the third the number of runs before them. Prints the seconds per run and a checksum of the
/// elements.
public func measure(_ decode: ([UInt8]) throws -> [Volcano]) throws {
  let arguments = CommandLine.arguments
  guard arguments.count == 4, let count = Int(arguments[2]), let warmUp = Int(arguments[3]) else {
    print("usage: FILE COUNT WARM_UP")
    exit(2)
  }
  let bytes = read(arguments[1])
  for _ in 0..<warmUp { _ = try decode(bytes) }
  var sum = 0
  let start = seconds()
  for _ in 0..<count { sum = try decode(bytes).reduce(0) { $0 &+ digest($1) } }
  print((seconds() - start) / Double(count), sum)
}

/// A digest that depends on every member.
private func digest(_ volcano: Volcano) -> Int {
  var sum = volcano.id &* 31 &+ volcano.name.utf8.count &* 7 &+ volcano.elevation &* 3
  sum &+= volcano.status == .active ? 1 : 2
  sum &+= Int(volcano.position.lat * 1000) &* 5 &+ Int(volcano.position.lon * 1000) &* 11
  sum &+= (volcano.monitored ? 13 : 17) &+ (volcano.last ?? -1) &* 19
  for tag in volcano.tags { sum = sum &* 3 &+ tag.utf8.count }
  return sum &+ volcano.note.utf8.count
}

private func seconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

private func read(_ path: String) -> [UInt8] {
  guard let file = fopen(path, "rb") else {
    print("cannot read \(path)")
    exit(1)
  }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 1 << 16)
  while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
  return bytes
}
