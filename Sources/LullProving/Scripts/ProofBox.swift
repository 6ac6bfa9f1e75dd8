/// What stands behind the object by which the Lua half of `lull.test` calls the Swift half: nothing, since each
/// call finds the host's own.
final class ProofBox {}
