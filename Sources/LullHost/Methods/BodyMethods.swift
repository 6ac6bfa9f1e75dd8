import CLullBridge
import LullCore

extension Method {
  static let uploadKeys = ["type", "name"]

  /// Bodies that are read while they are sent.
  static let bodyMethods: [Method] = [
    .function("file", "sT") { call throws(Misuse) in try makeFile(call) },
    .function("multipart", "t") { call throws(Misuse) in
      let form = try call.reading.multipart.form(table: call.index(0), in: call.state)
      call.return(call.values.of(MultipartBox(form), .multipart))
    },
    .method(.multipart, "__tostring") { call throws(Misuse) in
      let form = try call.selfObject(.multipart, as: MultipartBox.self).form
      call.return(.string("Multipart(\(LogText.part(form.summary)))"))
    },
    .getter(.file, "path") { call throws(Misuse) in
      call.return(.bytes(try file(call).path.bytes))
    },
    .getter(.file, "name") { call throws(Misuse) in
      call.return(.bytes(try file(call).name.bytes))
    },
    .getter(.file, "type") { call throws(Misuse) in
      call.return(.string(try file(call).contentType))
    },
    .method(.file, "__tostring") { call throws(Misuse) in
      let file = try file(call)
      call.return(.string("File(\(LogText.part(file.path.description)), \(file.contentType))"))
    },
  ]

  private static func file(_ call: Call) throws(Misuse) -> UploadFile {
    try call.selfObject(.file, as: FileBox.self).file
  }

  /// `lull.file(path[, { type =, name = }])`
  private static func makeFile(_ call: Call) throws(Misuse) {
    try call.permissions.refuseInSandbox("lull.file")
    let path = try call.path(0)
    var name: String?
    var type: String?
    if !call.isNil(1) {
      try call.reading.options.forEach(of: call.index(1), in: call.state, known: uploadKeys) {
        key, value throws(Misuse) in
        let text = try value.nonEmptyText(key)
        if key == "name" { return name = text }
        type = try value.headerText(key)
      }
    }
    let file = UploadFile(ByteString(path), name: name, contentType: type)
    call.return(call.values.of(FileBox(file), .file))
  }
}
