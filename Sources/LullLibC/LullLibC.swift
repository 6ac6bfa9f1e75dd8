// Exports the C library, which has another name on each system. Code that needs the C library
// imports this module.
#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#elseif canImport(Darwin)
  @_exported public import Darwin
#else
  #error("Lull knows Glibc, Musl and Darwin: add this system's C library here")
#endif
