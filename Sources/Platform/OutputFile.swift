internal import Synchronization
internal import SystemPackage

/// A file that a user names for a result. It never replaces a file of the run (``RunFiles``).
///
/// An existing file is replaced atomically once the result is complete, and keeps its mode and owner; links are
/// followed. Devices and pipes are written directly. An unfinished result is removed.
package final class OutputFile: Sendable {
  /// The path as the user typed it.
  private let name: String
  private let path: String
  /// The temporary file; `nil` for devices and pipes, which are written directly.
  private let partial: String?
  private let descriptor: FileDescriptor

  /// - Parameter replacesInput: the file is one that the run read in order to replace it.
  package init(_ name: String, replacesInput: Bool = false) throws(FileFailure) {
    if replacesInput {
      try RunFiles.use(name, as: "another file that this command writes")
    } else {
      try RunFiles.checkResult(name)
    }
    let status = try? Stat(FilePath(name))
    let path = status == nil ? name : (try? SystemCalls.realPath(name)) ?? name
    let isDirect = status.map { $0.type != .regular } ?? false
    self.name = name
    self.path = path
    (partial, descriptor) = try withErrno("write", name) {
      () -> (String?, FileDescriptor) in
      if isDirect { return (nil, try FileDescriptor.open(path, .writeOnly, options: .closeOnExec)) }
      let (partial, file) = try SystemCalls.createPartial(of: replacesInput ? "\(path).edit" : path)
      return (partial, file)
    }
    guard let status, partial != nil else { return }
    // Only root can change the owner; for other users the writer becomes the owner, as with any editor.
    try? SystemCalls.setOwner(status.userID, status.groupID, of: descriptor)
    try withErrno("write", name) { try SystemCalls.setPermissions(status.permissions, of: descriptor) }
  }

  deinit {
    try? descriptor.close()
    // After `finish` the temporary file does not exist any more.
    if let partial { try? SystemCalls.remove(partial) }
  }

  /// - Parameter replacesInput: the file is one that the run read in order to replace it.
  package static func write(
    _ text: String, to name: String, replacesInput: Bool = false
  ) throws(FileFailure) {
    let file = try OutputFile(name, replacesInput: replacesInput)
    try file.append(text)
    try file.finish()
  }

  package func append(_ text: String) throws(FileFailure) {
    try withErrno("write", name) { _ = try descriptor.writeAll(text.utf8) }
  }

  /// Writes all the bytes and waits until they are on the disk.
  func append(_ bytes: [UInt8]) throws {
    try descriptor.writeAll(bytes)
    try SystemCalls.synchronize(descriptor)
  }

  package func finish() throws(FileFailure) {
    guard let partial else { return }
    try withErrno("write", name) { try SystemCalls.move(partial, to: path) }
  }
}

/// The files that a run reads or works with, and those that are to take its results. A result in a file of the former
/// would destroy it: it is refused when the second of both is noted, before anything is written.
package final class RunFiles: Sendable {
  private struct Files {
    /// What each file is for the run, in words.
    var used: [FilePlace: String] = [:]
    var results: [FilePlace: String] = [:]
  }

  /// The files of the run of this task; `nil` where nothing is noted.
  @TaskLocal package static var current: RunFiles?

  private let files = Mutex(Files())
  private let closing = Mutex<(readers: [Close], writers: [Close])>(([], []))

  package typealias Close = @Sendable () -> Void

  package init() {}

  /// Has the run of this task close a file when it ends. Those that only read are closed first, so that who wrote is the last
  /// to have the file open: SQLite then writes the log into it.
  package static func atEnd(reading: Bool, _ close: @escaping Close) {
    current?.closing.withLock { if reading { $0.readers.append(close) } else { $0.writers.append(close) } }
  }

  package func close() {
    let (readers, writers) = closing.withLock(\.self)
    for close in readers + writers { close() }
  }

  /// Notes that the run reads a file or works with it. Throws ``FileFailure`` if it is to take a result of the run.
  ///
  /// - Parameter role: what the file is for the run, such as "the key file".
  package static func use(_ path: String, as role: String) throws(FileFailure) {
    guard let run = current, let place = FilePlace(path) else { return }
    try run.use(place, as: role)
  }

  static func read(_ file: FileDescriptor) throws(FileFailure) {
    guard let run = current, let status = try? Stat(file), let place = FilePlace(status) else { return }
    try run.use(place, as: "a file that this command reads")
  }

  /// Notes that a file is to take a result of the run. Throws ``FileFailure`` if the run needs what the file holds, or if
  /// another result goes there.
  package static func expectResult(_ path: String) throws(FileFailure) {
    guard let run = current, let place = FilePlace(path) else { return }
    try checkResult(path)
    let other = run.files.withLock { files in
      defer { files.results[place] = path }
      return files.results[place]
    }
    if other != nil { throw refusal(path, "another file that this command writes") }
  }

  static func checkResult(_ path: String) throws(FileFailure) {
    guard let run = current, let place = FilePlace(path) else { return }
    if let role = run.files.withLock({ $0.used[place] }) { throw refusal(path, role) }
  }

  private func use(_ place: FilePlace, as role: String) throws(FileFailure) {
    let result = files.withLock { files in
      files.used[place] = files.used[place] ?? role
      return files.results[place]
    }
    if let result { throw Self.refusal(result, role) }
  }

  private static func refusal(_ path: String, _ role: String) -> FileFailure {
    FileFailure(
      "the result cannot go to \(path): that is \(role)", action: .refuse,
      hint: "Give the result a file of its own.")
  }
}

/// What a path leads to, however it is spelled: a file, or a name in a folder where no file is yet.
package enum FilePlace: Sendable, Hashable {
  case file(FileIdentity)
  case name(String, folder: FileIdentity)

  /// `nil` for what a result does not replace, such as a device or a folder, and for a path that leads nowhere.
  package init?(_ path: String) {
    if let status = try? Stat(FilePath(path)) {
      guard let place = FilePlace(status) else { return nil }
      self = place
    } else if let name = FilePath(path).lastComponent,
      let folder = try? Stat(FilePath(FileKind.folder(of: path)))
    {
      self = .name(name.string, folder: FileIdentity(folder))
    } else {
      return nil
    }
  }

  init?(_ status: Stat) {
    guard status.type == .regular else { return nil }
    self = .file(FileIdentity(status))
  }
}
