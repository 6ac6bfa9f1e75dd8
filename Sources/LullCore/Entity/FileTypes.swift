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
    "3g2": "audio/3gpp2", "3gp": "audio/3gpp", "3gpp": "audio/3gpp", "3gpp2": "audio/3gpp2",
    "7z": "application/x-7z-compressed", "a": "application/octet-stream", "aac": "audio/aac",
    "ai": "application/postscript", "aif": "audio/x-aiff", "aifc": "audio/x-aiff",
    "aiff": "audio/x-aiff", "au": "audio/basic", "avi": "video/x-msvideo", "avif": "image/avif",
    "bat": "text/plain", "bin": "application/octet-stream", "bmp": "image/bmp",
    "bz2": "application/x-bzip2", "c": "text/plain", "cdf": "application/x-netcdf",
    "cpio": "application/x-cpio", "csh": "application/x-csh", "css": "text/css", "csv": "text/csv",
    "dll": "application/octet-stream", "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "dot": "application/msword", "dvi": "application/x-dvi", "eml": "message/rfc822",
    "eps": "application/postscript", "epub": "application/epub+zip",
    "exe": "application/octet-stream", "flac": "audio/flac", "gif": "image/gif",
    "gtar": "application/x-gtar", "gz": "application/gzip", "h": "text/plain",
    "hdf": "application/x-hdf", "heic": "image/heic", "heif": "image/heif", "htm": "text/html",
    "html": "text/html", "ico": "image/x-icon", "ics": "text/calendar", "jpe": "image/jpeg",
    "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
    "jsonl": "application/jsonl", "ksh": "text/plain", "latex": "application/x-latex",
    "log": "text/plain", "m1v": "video/mpeg", "m3u": "application/vnd.apple.mpegurl",
    "m3u8": "application/vnd.apple.mpegurl", "m4a": "audio/mp4", "md": "text/markdown",
    "mht": "message/rfc822", "mhtml": "message/rfc822", "mid": "audio/midi", "midi": "audio/midi",
    "mif": "application/x-mif", "mjs": "text/javascript", "mov": "video/quicktime",
    "movie": "video/x-sgi-movie", "mp2": "audio/mpeg", "mp3": "audio/mpeg", "mp4": "video/mp4",
    "mpa": "video/mpeg", "mpe": "video/mpeg", "mpeg": "video/mpeg", "mpg": "video/mpeg",
    "n3": "text/n3", "nc": "application/x-netcdf", "ndjson": "application/x-ndjson",
    "nq": "application/n-quads", "nt": "application/n-triples", "o": "application/octet-stream",
    "odt": "application/vnd.oasis.opendocument.text", "ogg": "audio/ogg", "opus": "audio/opus",
    "p12": "application/x-pkcs12", "p7c": "application/pkcs7-mime",
    "pbm": "image/x-portable-bitmap", "pdf": "application/pdf", "pfx": "application/x-pkcs12",
    "pgm": "image/x-portable-graymap", "pict": "image/pict", "pl": "text/plain",
    "png": "image/png", "pnm": "image/x-portable-anymap", "pot": "application/vnd.ms-powerpoint",
    "ppa": "application/vnd.ms-powerpoint", "ppm": "image/x-portable-pixmap",
    "pps": "application/vnd.ms-powerpoint", "ppt": "application/vnd.ms-powerpoint",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "ps": "application/postscript", "py": "text/x-python", "pyc": "application/x-python-code",
    "qt": "video/quicktime", "ra": "audio/x-pn-realaudio", "ram": "application/x-pn-realaudio",
    "ras": "image/x-cmu-raster", "rgb": "image/x-rgb", "rtf": "application/rtf",
    "sgm": "text/x-sgml", "sgml": "text/x-sgml", "sh": "application/x-sh",
    "shar": "application/x-shar", "snd": "audio/basic", "so": "application/octet-stream",
    "srt": "text/plain", "svg": "image/svg+xml", "swf": "application/x-shockwave-flash",
    "tar": "application/x-tar", "tcl": "application/x-tcl", "tex": "application/x-tex",
    "texi": "application/x-texinfo", "texinfo": "application/x-texinfo", "tif": "image/tiff",
    "tiff": "image/tiff", "toml": "application/toml", "trig": "application/trig",
    "tsv": "text/tab-separated-values", "txt": "text/plain", "vcf": "text/x-vcard",
    "vtt": "text/vtt", "wasm": "application/wasm", "wav": "audio/wav", "webm": "video/webm",
    "webmanifest": "application/manifest+json", "webp": "image/webp", "woff": "font/woff",
    "woff2": "font/woff2", "wsdl": "application/xml", "xbm": "image/x-xbitmap",
    "xlb": "application/vnd.ms-excel", "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xml": "application/xml", "xpm": "image/x-xpixmap", "xsl": "application/xml",
    "xwd": "image/x-xwindowdump", "xz": "application/x-xz", "yaml": "application/yaml",
    "yml": "application/yaml", "zip": "application/zip", "zst": "application/zstd",
  ]
}
