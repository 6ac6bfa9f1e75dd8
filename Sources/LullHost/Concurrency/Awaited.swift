import LullCore

/// What a coroutine waits for, as far as it could turn out to wait for the coroutine.
struct Awaited {
  var requests: [Request] = []
  var tasks: [LuaTask] = []
  /// Functions of the script that run on its behalf.
  var scope: RunScope?

  /// Whether it is a list, the rest of which is cancelled when one of it will never complete; also of
  /// one.
  var isList = false

  /// The request that will never complete, if there is one among them.
  var forsaken: Request? { requests.first { $0.isForsaken && !$0.isCompleted } }
}
