extension Lua {
  /// Something that is in Lua and that Swift holds: it stays there as long as this object does.
  ///
  /// It does not keep the runtime open; of one that was closed it is worth nothing. Letting go of it takes
  /// effect with the next call or turn. Home thread only.
  public final class Reference {
    let core: RuntimeCore
    let id: Int64
    /// The word for its type, as Lua's messages have it.
    public let typeName: String

    init(_ core: RuntimeCore, _ id: Int64, typeName: String) {
      self.core = core
      self.id = id
      self.typeName = typeName
    }

    // Nothing is called across from here.
    deinit { core.host.kept.released.addPin(id) }
  }
}
