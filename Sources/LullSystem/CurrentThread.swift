import LullLibC

/// The thread that asks.
package enum CurrentThread {
  /// Tells it from every other thread that exists meanwhile.
  package static var number: UInt { UInt(pthread_self()) }
}
