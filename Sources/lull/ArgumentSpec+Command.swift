import LullArguments

extension ArgumentSpec {
  /// What words say that follow a command's name.
  ///
  /// - Parameter page: what `--help` among them asks for.
  func read(_ words: some Collection<String>, page: CommandPage) throws(CommandEnd)
    -> ParsedArguments
  {
    do throws(ArgumentParser.End) {
      return try ArgumentParser.parse(Array(words), by: self)
    } catch {
      throw CommandEnd(error, page)
    }
  }

  /// What the options at the front of `words` say, which are taken from there.
  func takeLeading(from words: inout ArraySlice<String>, page: CommandPage) throws(CommandEnd)
    -> ParsedArguments
  {
    do throws(ArgumentParser.End) {
      return try ArgumentParser.takeLeading(&words, by: self)
    } catch {
      throw CommandEnd(error, page)
    }
  }
}
