/// Content types of files by the endings of their names: the usual ones.
package enum FileTypes {
  /// What nothing is known of.
  static let unknown = "application/octet-stream"

  /// The type that the ending of a name stands for, in any letter case; `unknown` for others and none.
  static func type(ofName name: some Sequence<UInt8>) -> String {
    let bytes = Array(name)
    guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")) else { return unknown }
    let ending = String(decoding: bytes[(dot + 1)...], as: UTF8.self).lowercased()
    return types[ending] ?? unknown
  }

  /// The type that an ending in lower case stands for; nil if nothing is known of it.
  package static func known(_ ending: String) -> String? { types[ending] }

  private static let types = [
    "7z": "application/x-7z-compressed", "avif": "image/avif", "bmp": "image/bmp",
    "bz2": "application/x-bzip2", "css": "text/css", "csv": "text/csv",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "epub": "application/epub+zip", "flac": "audio/flac", "gif": "image/gif",
    "gz": "application/gzip", "htm": "text/html", "html": "text/html", "ico": "image/x-icon",
    "ics": "text/calendar", "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript",
    "json": "application/json", "jsonl": "application/jsonl", "log": "text/plain",
    "m4a": "audio/mp4", "md": "text/markdown", "mjs": "text/javascript", "mov": "video/quicktime",
    "mp3": "audio/mpeg", "mp4": "video/mp4", "ndjson": "application/x-ndjson",
    "odt": "application/vnd.oasis.opendocument.text", "ogg": "audio/ogg", "pdf": "application/pdf",
    "png": "image/png",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "rtf": "application/rtf", "svg": "image/svg+xml", "tar": "application/x-tar",
    "tif": "image/tiff", "tiff": "image/tiff", "toml": "application/toml",
    "tsv": "text/tab-separated-values", "txt": "text/plain", "wasm": "application/wasm",
    "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp", "woff": "font/woff",
    "woff2": "font/woff2", "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xml": "application/xml", "xz": "application/x-xz", "yaml": "application/yaml",
    "yml": "application/yaml", "zip": "application/zip", "zst": "application/zstd",
  ]
}
