import CUV

/// Memory of libuv's handles: allocated by us, freed only once libuv has let go of it.
enum UVHandle {
  /// Closes `handle` and frees its memory in the close callback, on a later run of the loop.
  static func closeAndFree<Handle>(_ handle: UnsafeMutablePointer<Handle>) {
    // Every libuv handle begins with the fields of uv_handle_t; this is libuv's own way to cast.
    let base = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
    uv_close(base) { closed in
      // The close callback is libuv's last access, and the memory came from `allocate`.
      UnsafeMutableRawPointer(closed)?.deallocate()
    }
  }
}
