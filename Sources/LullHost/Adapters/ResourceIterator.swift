import LullCore

/// `service:resources()`: those in memory when it was made, in order of last use, less what has been
/// forgotten meanwhile. Neither creates nor loads anything.
final class ResourceIterator {
  private let service: Service
  private var records: ArraySlice<ResourceRecord>

  init(_ service: Service) {
    self.service = service
    records = service.table.all[...]
  }

  func next() -> Resource? {
    while let record = records.popFirst() {
      if service.table.contains(record) { return service.resource(of: record) }
    }
    return nil
  }
}
