/// Why a coded body is not what it says.
enum DecodingFailure: Error, Equatable {
  /// It is not of its coding.
  case invalid(ContentCoding)
  /// It ends before its coding does.
  case cut(ContentCoding)
  /// The library is missing.
  case unavailable(ContentCoding, reason: String)
  /// Between two codings it is larger than a body may be.
  case tooLarge
  case noMemory
  /// By whoever takes what is decoded.
  case refused
}
