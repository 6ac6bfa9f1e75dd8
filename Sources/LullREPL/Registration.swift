/// What the bridge calls before `lull.repl` is looked for: this target is not below it.
@c(lull_repl_register)
public func registerREPL() {
  REPL.register()
}
