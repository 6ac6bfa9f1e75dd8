import CCurl
import LullLibC
import LullCore

/// curl's callbacks during an exchange. They record facts and never call curl.
enum CurlCallbacks {
  static let bodyArrived: curl_write_callback = { bytes, size, count, this in
    guard let bytes, let this else { return 0 }
    let buffer = CurlCallbacks.buffer(bytes, size * count)
    // `this` is the handle's `incoming`, which has the same lifetime.
    let incoming = this.assumingMemoryBound(to: IncomingResponse.self)
    if incoming.pointee.holdsBack() { return Int(CURL_WRITEFUNC_PAUSE) }
    return incoming.pointee.takeBody(buffer) ? buffer.count : -1
  }

  static let lineArrived: curl_write_callback = { bytes, size, count, this in
    guard let bytes, let this else { return 0 }
    let buffer = CurlCallbacks.buffer(bytes, size * count)
    // `this` is the handle's `incoming`, which has the same lifetime.
    let incoming = this.assumingMemoryBound(to: IncomingResponse.self)
    return incoming.pointee.takeLine(buffer) ? buffer.count : -1
  }

  static let requestGoesOut: curl_prereq_callback = { this, _, _, _, _ in
    guard let this else { return CURL_PREREQFUNC_OK }
    // `this` is the handle's object, which outlives it.
    let easy = Unmanaged<CurlEasy>.fromOpaque(this).takeUnretainedValue()
    let incoming = easy.incoming
    if !incoming.pointee.isRepeatable { easy.noteRefusal() }
    guard incoming.pointee.requestGoesOut() else { return CURL_PREREQFUNC_ABORT }
    // The limit only records this; it starts and cancels nothing here.
    if let sending = incoming.pointee.sending {
      if incoming.pointee.passesLater { sending.begin() } else { sending.pass() }
    }
    return CURL_PREREQFUNC_OK
  }

  static let bodyWanted: curl_read_callback = { bytes, size, count, this in
    guard let bytes, let this else { return Int(CURL_READFUNC_ABORT) }
    // `this` is the handle's object, which outlives it. The buffer belongs to curl and is valid
    // during the call.
    let easy = Unmanaged<CurlEasy>.fromOpaque(this).takeUnretainedValue()
    let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    guard easy.maySendBody else { return Int(CURL_READFUNC_PAUSE) }
    return easy.read(into: buffer) ?? Int(CURL_READFUNC_ABORT)
  }

  static let bodyWantedFrom: curl_seek_callback = { this, offset, origin in
    guard let this, origin == SEEK_SET else { return CURL_SEEKFUNC_CANTSEEK }
    // `this` is the handle's object, which outlives it.
    let easy = Unmanaged<CurlEasy>.fromOpaque(this).takeUnretainedValue()
    let isThere = easy.reader?.seek(to: Int(offset)) ?? false
    return isThere ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
  }

  /// The callback that receives all data that curl sends and receives. It is set only for observed
  /// exchanges.
  static let said: curl_debug_callback = { _, kind, bytes, count, this in
    guard let bytes, let this else { return 0 }
    // `this` is the handle's object, which outlives it.
    let easy = Unmanaged<CurlEasy>.fromOpaque(this).takeUnretainedValue()
    let buffer = CurlCallbacks.buffer(bytes, count)
    switch kind {
    case CURLINFO_HEADER_OUT: easy.wire?.sentHead(buffer)
    case CURLINFO_DATA_OUT: easy.wire?.sentBody(buffer)
    case CURLINFO_HEADER_IN: easy.wire?.receivedLine(buffer)
    // Received bodies are recorded after they are decoded.
    default: break
    }
    return 0
  }

  /// Returns the bytes that curl passes to a callback. They are valid only during the callback.
  private static func buffer(_ bytes: UnsafeMutablePointer<CChar>, _ count: Int)
    -> UnsafeBufferPointer<UInt8>
  {
    // CChar and UInt8 differ only in sign, which bytes do not have.
    UnsafeRawBufferPointer(start: bytes, count: count).assumingMemoryBound(to: UInt8.self)
  }
}

extension CurlEasy {
  /// Whether the transfer's `SendGate` lets the body be sent now.
  fileprivate var maySendBody: Bool {
    guard let transfer, let gate = transfer.request.options?.gate else { return true }
    return gate.letsPass { [weak self, weak transfer] in
      // The transfer may have ended, and the handle may carry another one.
      guard let self, let transfer, self.transfer === transfer else { return }
      multi?.resume(self)
    }
  }
}
