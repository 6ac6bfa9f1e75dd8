import LullCore
import LullHost
import LullSystem

/// Gives an API file access to the variables of its environment.
extension APIFiles {
  /// Returns the variables of the selected environment. nil if the environment has no file of
  /// variables, or if reading files is not permitted.
  func variables(of declaration: APIDeclaration) throws(APIFileProblem) -> FileVariables? {
    guard let name = declaration.variablesFile, let wish = declaration.wish, !isInspecting else {
      return nil
    }
    let keys = ["environments", wish.name, "env_file"]
    let start = "environment '\(wish.name)': "
    guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else {
      throw declaration.problem(
        keys, start + "'env_file' must be the name of a file in the same folder, got '\(name)'")
    }
    let folder = FileName.folder(of: declaration.path)
    let path = declaration.path.contains("/") ? "\(folder)/\(name)" : name
    do throws(VariablesFile.Problem) {
      return FileVariables(try VariablesFile.read(path).texts, of: path)
    } catch {
      throw declaration.problem(keys, start + error.message)
    }
  }

  /// Gives an API file access to its variables, while the file runs and afterwards. Modules that it
  /// requires do not get access, because all environments share them.
  func give(_ variables: FileVariables, to chunk: Chunk) throws(APIFileProblem) {
    let prelude: Chunk
    do throws(Chunk.Problem) {
      prelude = try sources.compile(
        ShippedScript.environment.bytes, name: Array("=environment".utf8))
    } catch {
      throw .missing(error.message)
    }
    defer { prelude.release() }
    let answer = coroutines.ask(
      prelude.callable, [chunk.value, variables.functions(handles)], kind: "environment"
    ) { _ in }
    switch answer {
    case .success: return
    case .failure(.failed(let failure)): throw .failed(ScriptProblem(failure: failure))
    case .failure(.gone): throw .missing("not enough memory")
    }
  }
}
