package import LullCore

/// Content as a command writes it.
package enum CallContent {
  case json(JSONElement)
  case text(String)
  case bytes([UInt8])
}
