import LullCore
import LullHost
import LullLibC
import LullLuaSource
import LullSystem

/// A file that an import writes beside the API file.
package struct ImportedFile: Equatable, Sendable {
  /// The path relative to the folder of the API file.
  package let name: String
  package let bytes: [UInt8]

  package init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }
}

/// The files of an imported API: the API file, its last imported version, its schemas, and other
/// files to which it refers.
package struct ImportedFiles {
  /// The reason why nothing was written.
  package enum Refusal: Error {
    /// The error message.
    case refused(String)
    case conflicts([APIFileMerge.Conflict])
  }

  package let path: [UInt8]
  /// The file as last imported. `nil` if the file was not imported.
  package let base: [UInt8]?
  package let current: [UInt8]?
  /// The digest of the schema file at the time of the last import.
  private let schemasMark: SchemasMark?
  /// The digests of the other files at the time of the last import.
  private let fileMarks: FileMarks
  /// The content of the other files that the user has changed since the last import.
  private let editedFiles: [String: [UInt8]]
  /// The names of the other files that still exist.
  private let presentFiles: Set<String>
  /// The contents of two files as read: the `.imported` file with its mark (`kept`), and the API
  /// file (`current`).
  private let read: (kept: [UInt8]?, current: [UInt8]?)

  /// Reads the existing files. Missing folders are created only when something is written.
  package init(_ path: [UInt8]) throws(Refusal) {
    self.path = path
    var read = try ImportedFiles.both(path)
    if read.current != nil, read.kept == nil {
      // Wait for a running import, which may have written only one of the two files so far.
      let lock = ImportedFiles.lock(FileName.folder(of: path), LOCK_SH)
      defer { if lock >= 0 { close(lock) } }
      read = try ImportedFiles.both(path)
    }
    self.read = read
    let parts = read.kept.map { SchemasMark.split($0) }
    // The user may have copied one file over the other.
    current = read.current.map { FileMarks.split(SchemasMark.split($0).text).text }
    let (text, marks) = FileMarks.split(parts?.text ?? [])
    (base, schemasMark, fileMarks) = (parts == nil ? nil : text, parts?.mark, marks)
    var edited: [String: [UInt8]] = [:]
    var present: Set<String> = []
    for name in marks.names {
      guard let bytes = try ImportedFiles.read(ImportedFiles.path(of: name, beside: path)) else {
        continue
      }
      present.insert(name)
      if marks[name]?.fits(bytes) == false { edited[name] = bytes }
    }
    (editedFiles, presentFiles) = (edited, present)
    if current != nil, base == nil {
      throw .refused(ImportedFiles.stays(path))
    }
  }

  private static func both(_ path: [UInt8]) throws(Refusal) -> (kept: [UInt8]?, current: [UInt8]?) {
    (try read(path + Array(".imported".utf8)), try read(path))
  }

  /// Locks the folder, so that only one process at a time imports into it. If locks are not
  /// supported, a change by another process is still detected.
  ///
  /// - Returns: The descriptor to close. Negative if the folder could not be opened.
  private static func lock(_ folder: [UInt8], _ kind: Int32) -> Int32 {
    let lock = open(FileName.cString(folder), O_RDONLY | O_CLOEXEC)
    while lock >= 0, flock(lock, kind) != 0, errno == EINTR {}
    return lock
  }

  private static func stays(_ path: [UInt8]) -> String {
    "'\(String(escaping: path))' was not written by lull import and is left unchanged: "
      + "name another file with -o, or move this file away"
  }

  /// Throws if a user or another import has changed a file since it was read.
  private func checkUnchanged() throws(Refusal) {
    guard try ImportedFiles.read(path) == read.current,
      try ImportedFiles.read(path + Array(".imported".utf8)) == read.kept
    else { throw .refused(ImportedFiles.changed(path)) }
  }

  private static func changed(_ path: [UInt8]) -> String {
    "\(String(escaping: path)): the file was changed during the import and is not written: "
      + "import again"
  }

  /// Reads a file. `nil` if the file does not exist.
  private static func read(_ path: [UInt8]) throws(Refusal) -> [UInt8]? {
    var status = stat()
    guard lstat(FileName.cString(path), &status) == 0 else {
      guard errno == ENOENT else {
        throw .refused("\(String(escaping: path)): \(ErrorText.of(errno))")
      }
      return nil
    }
    switch TextFile.read(path) {
    case .success(let bytes): return bytes
    case .failure(let problem): throw .refused(String(escaping: problem.message))
    }
  }

  /// The path of the schema file next to the API file.
  package static func schemas(of path: [UInt8]) -> [UInt8] {
    let stem = path.suffix(4).elementsEqual(".lua".utf8) ? Array(path.dropLast(4)) : path
    return stem + Array(".schemas.json".utf8)
  }

  /// Merges a new import with the changes that the user has made since the last import. Returns the
  /// merged file.
  package func merged(with new: [UInt8]) throws(Refusal) -> [UInt8] {
    guard let base, let current else { return new }
    switch APIFileMerge.merge(base: base, user: current, new: new) {
    case .merged(let bytes): return bytes
    case .conflicts(let conflicts): throw .conflicts(conflicts)
    }
  }

  /// Inserts calls into the current file, as a user would do by hand. Returns the new file. The
  /// last imported version is not changed.
  package func added(_ new: [UInt8]) throws(Refusal) -> [UInt8] {
    guard let current else { return new }
    switch APIFileMerge.add(new, to: current) {
    case .merged(let bytes): return bytes
    case .conflicts(let conflicts): throw .conflicts(conflicts)
    }
  }

  /// Returns the names of calls that the last import created and that are not in `new`. They will
  /// be removed from the file.
  package func takenOut(by new: [UInt8]) -> [String] {
    guard let base = base.flatMap({ DeclaredFile($0) }), let new = DeclaredFile(new),
      let current = current.flatMap({ DeclaredFile($0) })
    else { return [] }
    let kept = Set(new.calls.fields.compactMap(\.key))
    let present = Set(current.calls.fields.compactMap(\.key))
    return base.calls.fields.compactMap(\.key).filter { !kept.contains($0) && present.contains($0) }
  }

  /// Returns the names of the calls in an API file. `nil` if it is not one.
  package static func calls(in file: [UInt8]) -> Set<String>? {
    DeclaredFile(file).map { Set($0.calls.fields.compactMap(\.key)) }
  }

  /// Returns whether an imported file names a schema file. Such a schema file belongs to the
  /// import.
  private func hasSchemas(_ imported: [UInt8]?) -> Bool {
    imported.flatMap { DeclaredFile($0) }?.namesSchemas ?? false
  }

  // MARK: Other files

  /// The path of a file beside the API file.
  private static func path(of name: String, beside path: [UInt8]) -> [UInt8] {
    FileName.path(of: name, in: FileName.folder(of: path))
  }

  private func path(of name: String) -> [UInt8] { ImportedFiles.path(of: name, beside: path) }

  /// Returns the content of a file that the last import wrote and the user has changed since. `nil`
  /// if the file is missing, unchanged, or not written by an import.
  package func edited(_ name: String) -> [UInt8]? { editedFiles[name] }

  /// Returns the files that the user has changed since the last import and that the import would
  /// now write in another way than then.
  package func outdated(_ files: [ImportedFile]) -> [String] {
    files.filter { edited($0.name) != nil && fileMarks[$0.name]?.fits($0.bytes) == false }.map(
      \.name)
  }

  /// Whether a file already has its content, as far as known when the files were read.
  private func isPresent(_ file: ImportedFile) -> Bool {
    presentFiles.contains(file.name) && fileMarks[file.name]?.fits(file.bytes) == true
  }

  /// Throws if a file would be replaced that no import wrote, or that was changed since it was
  /// read.
  private func checkOwn(_ files: [ImportedFile]) throws(Refusal) {
    for file in files where editedFiles[file.name] == nil && !isPresent(file) {
      let path = path(of: file.name)
      guard let known = try ImportedFiles.read(path), known != file.bytes else { continue }
      guard let mark = fileMarks[file.name] else { throw .refused(ImportedFiles.stays(path)) }
      guard mark.fits(known) else { throw .refused(ImportedFiles.changed(path)) }
    }
  }

  /// Deletes the unchanged files of the last import, except those with the given names. Returns the
  /// names of those that the user has changed.
  private func deleteOthers(than names: Set<String>) -> [String] {
    var changed: [String] = []
    for name in fileMarks.names where !names.contains(name) {
      let path = path(of: name)
      guard let bytes = try? ImportedFiles.read(path) else { continue }
      if fileMarks[name]?.fits(bytes) == true {
        unlink(FileName.cString(path))
        // Only an empty folder is deleted.
        if name.contains("/") { rmdir(FileName.cString(FileName.folder(of: path))) }
      } else {
        changed.append(name)
      }
    }
    return changed
  }

  // MARK: Writing

  /// Writes all files or none.
  ///
  /// - Parameters:
  ///   - merged: The new API file.
  ///   - new: The API file as imported now, without the user's changes.
  ///   - schemas: The new schema file, or `nil` if there are no schemas. In that case, a schema
  ///     file of an earlier import is deleted unless `new` names it.
  ///   - others: Other files beside the API file. A file that the user has changed since the last
  ///     import is kept. `nil`: the files of the last import stay.
  ///   - used: The names of files that the API file uses although this import does not write them.
  /// - Returns: The files of the last import that are no longer needed, and that the user has
  ///   changed.
  @discardableResult
  package func write(
    _ merged: [UInt8], imported new: [UInt8], schemas: [UInt8]?, others: [ImportedFile]? = nil,
    used: Set<String> = []
  ) throws(Refusal) -> [String] {
    let schemasPath = ImportedFiles.schemas(of: path)
    var files: [(target: [UInt8], bytes: [UInt8])] = []
    for other in others ?? [] where edited(other.name) == nil && !isPresent(other) {
      files.append((path(of: other.name), other.bytes))
    }
    if let schemas { files.append((schemasPath, schemas)) }
    files.append((path, merged))
    let mark = schemas.map { SchemasMark(of: $0) } ?? (hasSchemas(new) ? schemasMark : nil)
    let marks = others.map { FileMarks(of: $0) } ?? fileMarks
    files.append((path + Array(".imported".utf8), new + marks.lines + (mark?.line ?? [])))
    let folder = FileName.folder(of: path)
    for folder in [folder]
      + Set((others ?? []).map { FileName.folder(of: path(of: $0.name)) }).sorted(
        by: { $0.lexicographicallyPrecedes($1) })
    {
      if let code = FolderMaking.make(folder) {
        throw .refused(
          "cannot create the folder '\(String(escaping: folder))': \(ErrorText.of(code))")
      }
    }
    let lock = ImportedFiles.lock(folder, LOCK_EX)
    defer { if lock >= 0 { close(lock) } }
    try checkUnchanged()
    let known = try ImportedFiles.read(schemasPath)
    if let schemas, let known { try check(known, at: schemasPath, givesWayTo: schemas) }
    try checkOwn(others ?? [])
    var written: [(file: AtomicFile.Created, target: [UInt8])] = []
    var failure: (target: [UInt8], code: Int32)?
    for (name, bytes) in files {
      // Replace the target of a symbolic link, not the link.
      let target = FileName.resolved(name) ?? name
      let permissions = ImportedFiles.permissions(of: target)
      guard let file = AtomicFile.create(beside: target, mode: permissions.creationMode) else {
        failure = (target, errno)
        break
      }
      written.append((file, target))
      var code = DescriptorWriting.put(bytes, into: file.descriptor)
      if code == nil { code = permissions.apply(to: file.descriptor) }
      if let code {
        failure = (target, code)
        break
      }
    }
    for (file, target) in written where close(file.descriptor) != 0 && failure == nil {
      failure = (target, errno)
    }
    var replaced = 0
    while failure == nil, replaced < written.count {
      let (file, target) = written[replaced]
      if rename(FileName.cString(file.name), FileName.cString(target)) != 0 {
        failure = (target, errno)
      } else {
        replaced += 1
      }
    }
    guard let failure else {
      let isOwn = known.map { schemasMark?.fits($0) ?? true } ?? false
      if schemas == nil, hasSchemas(base), !hasSchemas(new), isOwn {
        unlink(FileName.cString(schemasPath))
      }
      return others.map { deleteOthers(than: used.union($0.map(\.name))) } ?? []
    }
    for (file, _) in written.dropFirst(replaced) { unlink(FileName.cString(file.name)) }
    throw .refused("\(String(escaping: failure.target)): \(ErrorText.of(failure.code))")
  }

  /// Throws if the schema file was not imported or has been changed since.
  private func check(
    _ known: [UInt8], at path: [UInt8], givesWayTo new: [UInt8]
  ) throws(Refusal) {
    guard hasSchemas(base) else {
      if SchemaFileWriter.isWritten(known) { return }
      throw .refused(ImportedFiles.stays(path))
    }
    guard let schemasMark, !schemasMark.fits(known), known != new else { return }
    throw .refused(
      "\(String(escaping: path)): the file was changed after the last import, and is left unchanged: "
        + "undo the change, or move the file away, and import again")
  }

  private static func permissions(of path: [UInt8]) -> FilePermissions {
    var status = stat()
    return stat(FileName.cString(path), &status) == 0 ? .of(status) : .usual
  }
}
