import LullClients
import LullHost

/// What `lull help filters` shows: how expressions of `-f` are written, and the functions they have.
enum FilterHelp {
  private static let width = 30

  static var text: String {
    """
    Usage: lull get … -f LUA

    Writes what an expression of Lua makes of the content, x: -f x.name, -f 'x.items[1]',
    -f '#x', -f '{ id = x.id, who = x.owner.login }'. Elements count from 1. Lua's own string,
    table and math are there, and the functions below, which scripts have as lull.list.

    They take a list or a record, of which the values are meant; map, filter and pick of a record
    give a record. `by` is the name of a field or a function of the element:

      map(x, "name")             map(x, "owner.login")          map(x, "tags.1")
      filter(x, "visits")        filter(x, function(v) return v.visits > 9 end)

    A field that is missing is nothing, as null is.

    Functions:
    \(functions)
    Examples:
      lull get :8080/users -f 'pick(x, "id", "name")' -o table
      lull get :8080/users -f 'map(sort_by(x, "-visits"), "name")'
      lull get :8080/users --all -f 'sort_by(entries(count_by(x, "role")), "-value")' -o table
      lull get :8080/users --all -f 'sum(x, "visits")'

    """
  }

  private static var functions: String {
    let owner = LuaLibrary.withClients.description.owner("lull.list")
    return (owner?.entries ?? []).map { entry in
      let usage = owner?.spelling(of: entry).dropFirst("lull.list.".count) ?? ""
      let padding = String(repeating: " ", count: max(width - usage.count, 1))
      return "  \(usage)\(padding)\(entry.summary.filter { $0 != "`" })\n"
    }.joined()
  }
}
