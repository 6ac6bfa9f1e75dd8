/// Why requests fail whose limit other processes could not find.
struct LimitNeedsName: Error, Sendable, CustomStringConvertible {
  var description: String {
    "a rate limit that processes share needs a name where the pattern of its block is a function, since "
      + "others cannot know that it is the same: name it (shared = \"name\")"
  }
}
