public import LullCore

extension Home: ServiceHome {
  public nonisolated var surroundings: HomeSurroundings { HomeSurroundings(thread.context) }
}
