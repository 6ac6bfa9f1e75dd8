import LullClients
import LullCore
import LullHost

/// Answers that are not as their schema says.
extension CallExchange {
  /// Whoever has asked for it on the command line is told that nothing is held against anything.
  func tellOfNoSchema(_ request: CallRequest) {
    guard options.validation != nil else { return }
    let known = api.service.schemas?.explanation(of: request.method, request.resource.url.text)
    if let known, !known.isNothing { return }
    Exit.complain(
      "lull: warning: --validate: "
        + (known?.text ?? "nothing is validated, since no API file names schemas") + "\n")
  }

  /// What does not fit, in the place of the content.
  static func json(of misfits: [ContentMisfit], _ style: OutputStyle) -> [UInt8] {
    let errors = misfits.map { misfit in
      JSONValue.object([
        .init("pointer", .string(misfit.pointer)), .init("keyword", .string(misfit.keyword)),
        .init("message", .string(misfit.message)),
      ])
    }
    let answer = JSONValue.object([
      .init("kind", .string("validation")), .init("errors", .array(errors)),
    ])
    guard let bytes = try? answer.encode() else { return [] }
    return ContentText(format: .json, columns: [], style: style).bytes(of: JSONText(valid: bytes))
  }
}
