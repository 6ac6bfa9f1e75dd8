import LullArguments
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ArgumentSpecTests {
  private func spec(_ arguments: [Argument]) -> ArgumentSpec {
    ArgumentSpec(name: "tool", description: "", arguments: arguments)
  }

  @Test func `a specification by which nothing could be told apart is refused`() {
    let limit = Argument(names: ["--limit", "-n"], help: nil)
    #expect(spec([limit]).problem == nil)
    #expect(
      spec([limit, .init(names: ["-n"], help: nil)]).problem
        == "'-n' is in the specification twice")
    #expect(
      spec([.init(names: ["--a-b"], help: nil), .init(names: ["--a_b"], help: nil)]).problem
        == "two arguments of the specification would both have the key 'a_b'")
    let files = Argument(positional: "a", help: "", isRequired: true, isRepeated: true)
    let others = Argument(positional: "b", help: "", isRequired: true, isRepeated: true)
    #expect(spec([files, others]).problem == "only one positional argument can be repeated")
  }

  @Test func `a draft becomes the argument its names and its default imply`() throws {
    var draft = ArgumentDraft()
    draft.names = [(2, "-n"), (1, "--limit N")]
    draft.standard = .init(kind: .integer, text: "20")
    let limit = try draft.argument()
    #expect(limit.names == ["--limit", "-n"])
    #expect(limit.kind == .integer)
    #expect(limit.placeholder == "N")
    #expect(!limit.isRequired)

    draft = ArgumentDraft()
    draft.names = [(1, "files...")]
    let files = try draft.argument()
    #expect(files.isPositional && files.isRepeated && files.isRequired)
    #expect(files.key == "files")

    draft = ArgumentDraft()
    draft.names = [(1, "--dry-run")]
    #expect(try draft.argument().kind == .flag)
    #expect(try draft.argument().key == "dry_run")
  }

  @Test func `a draft that makes no argument says why`() {
    func fault(_ change: (inout ArgumentDraft) -> Void) -> String? {
      var draft = ArgumentDraft()
      change(&draft)
      do throws(ArgumentDraft.Fault) {
        _ = try draft.argument()
        return nil
      } catch {
        return error.message
      }
    }
    #expect(fault { _ in } == "an argument needs a name, such as \"--limit\" or \"file\"")
    #expect(fault { $0.names = [(1, "")] } == "a name must not be empty")
    #expect(fault { $0.names = [(1, "---a")] }?.hasPrefix("'---a' is not a name: write") == true)
    #expect(
      fault { $0.names = [(1, "a"), (2, "--b")] }
        == "a positional argument has only one name, and the names of an option begin with '-'")
    #expect(
      fault {
        $0.names = [(1, "a")]
        $0.kind = .flag
      } == "'a' is a positional argument and cannot be a flag")
    #expect(
      fault {
        $0.names = [(1, "--a")]
        $0.kind = .count
        $0.placeholder = "X"
      } == "'--a' is a count and takes no value")
    #expect(
      fault {
        $0.names = [(1, "--a")]
        $0.kind = .integer
        $0.standard = .init(kind: .string, text: "x")
      } == "the default of '--a' must be a whole number")
    #expect(
      fault {
        $0.names = [(1, "--a")]
        $0.choices = ["x", "y"]
        $0.standard = .init(kind: .string, text: "z")
      } == "the default of '--a' is not one of its choices")
    #expect(
      fault {
        $0.names = [(1, "--a")]
        $0.isRequired = true
        $0.standard = .init(kind: .string, text: "z")
      } == "'--a' cannot be required and have a default")
  }
}
