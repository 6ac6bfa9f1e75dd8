extension HARFile {
  /// Puts what another recording has of requests that this one has none of before what is here, but for what is
  /// read here before anything is written to its place: that stays before the writes of others.
  package mutating func keep(othersOf old: [HAREntry]) {
    let own = entries.map { RecordedRequest($0.request, comparing: []) }
    var merged = old.map { (entry: $0, request: RecordedRequest($0.request, comparing: [])) }
      .filter { old in !own.contains { $0.fits(old.request) } }
    var written: Set<String> = []
    for (entry, request) in zip(entries, own) {
      let resource = request.resource
      if request.isWrite { written.insert(resource) }
      let next =
        written.contains(resource)
        ? nil : merged.firstIndex { $0.request.isWrite && $0.request.resource == resource }
      merged.insert((entry, request), at: next ?? merged.endIndex)
    }
    entries = merged.map(\.entry)
  }
}
