/// One text, and what it becomes in each coding of bodies.
enum CodedText {
  static let plain = Array(
    (String(
      repeating: "Lull undoes what a server has done to a body, all of it or none: "
        + "what was cut short is no body. ",
      count: 2) + "0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXY").utf8)

  static let gzip = bytes(
    "1f8b0800000000000203b58c570ec2301404afb20740885e42efcdf4fe69b09123457e920b11b78f0567e077"
      + "6766994f12782d485aa48a3b705869ded240710b415ac251181f243e39f020d30bb10319e800a35f9406f7e9"
      + "1dac22e310dbc0be451eeccfff8562a95ca9d6ea8d66d46a77babdfe60381a4fa6b3f962b962ebcd76b73f1c"
      + "4fe7cbf576cf0042fcc4d2ea000000")

  static let zlib = bytes(
    "78dab58c570ec2301404afb20740885e42efcdf4fe69b09123457e920b11b78f0567e0776766994f12782d48"
      + "5aa48a3b705869ded240710b415ac251181f243e39f020d30bb10319e800a35f9406f7e91dac22e310dbc0be"
      + "451eeccfff8562a95ca9d6ea8d66d46a77babdfe60381a4fa6b3f962b962ebcd76b73f1c4fe7cbf576cf001e"
      + "684df0")

  static let deflate = bytes(
    "b58c570ec2301404afb20740885e42efcdf4fe69b09123457e920b11b78f0567e0776766994f12782d485aa4"
      + "8a3b705869ded240710b415ac251181f243e39f020d30bb10319e800a35f9406f7e91dac22e310dbc0be451e"
      + "eccfff8562a95ca9d6ea8d66d46a77babdfe60381a4fa6b3f962b962ebcd76b73f1c4fe7cbf576cf00")

  static let brotli = bytes(
    "1be900308cc3b8b15bb44f3189b81ba677de99539340b679bd3baee8eefba482025148259d1cb87fb75fe898"
      + "2631471820e501b72a9c3895621c4b2b55ca96ef50b440862341670259448cdebcdcc41f1e1c44fb12cc4a1e"
      + "f232c7eb8674d801449850c68554da58e7434cb9d4ae1fc6a9cdcbbaedc779ddcffbfd")

  static let zstd = bytes(
    "28b52ffd24ea0d0400f2871c1400fd66a0998276d5ddfffff7f5c3fdffff7f5801ab9aa2a75992a318829fd7"
      + "719b96619755519314418fd3308b922087511083f003bbfef8fcf3db96f19febeec7599e816bbbfeb7fdf3f9"
      + "c7f6a769f603fd6bb79ffd76fee1da7e3fcecaff86f71bc63ffb7356e63f0edb6fad7f9ad6bd03003d86c1ab"
      + "6a01c0988a024f31dee3")

  /// `id: 1` and `data: a`, as far as a compressor has to say it at once, and no end.
  static let flushedEvent = bytes("1f8b0800000000000203ca4cb15230e44a492c49b45248e4e202000000ffff")

  /// gzip of gzip.
  static let gzipTwice = bytes(
    "1f8b08000000000002030193006cff1f8b0800000000000203b58c570ec2301404afb20740885e42efcdf4fe"
      + "69b09123457e920b11b78f0567e0776766994f12782d485aa48a3b705869ded240710b415ac251181f243e39"
      + "f020d30bb10319e800a35f9406f7e91dac22e310dbc0be451eeccfff8562a95ca9d6ea8d66d46a77babdfe60"
      + "381a4fa6b3f962b962ebcd76b73f1c4fe7cbf576cf0042fcc4d2ea0000008774153f93000000")

  /// gzip, then brotli.
  static let gzipInBrotli = bytes(
    "0b49801f8b0800000000000203b58c570ec2301404afb20740885e42efcdf4fe69b09123457e920b11b78f05"
      + "67e0776766994f12782d485aa48a3b705869ded240710b415ac251181f243e39f020d30bb10319e800a35f94"
      + "06f7e91dac22e310dbc0be451eeccfff8562a95ca9d6ea8d66d46a77babdfe60381a4fa6b3f962b962ebcd76"
      + "b73f1c4fe7cbf576cf0042fcc4d2ea00000003")

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.utf8.map { UInt8($0 < 58 ? $0 - 48 : $0 - 87) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
