import LullArguments

extension ArgumentSpec {
  /// What words say that follow a command's name.
  ///
  /// - Parameter command: the one whose page tells more.
  func read(_ words: some Collection<String>, for command: Command) throws(CommandEnd)
    -> ParsedArguments
  {
    do throws(ArgumentParser.End) {
      return try ArgumentParser.parse(Array(words), by: self)
    } catch {
      throw CommandEnd(error, command)
    }
  }

  /// What the options at the front of `words` say, which are taken from there.
  func takeLeading(from words: inout ArraySlice<String>, for command: Command) throws(CommandEnd)
    -> ParsedArguments
  {
    do throws(ArgumentParser.End) {
      return try ArgumentParser.takeLeading(&words, by: self)
    } catch {
      throw CommandEnd(error, command)
    }
  }
}
