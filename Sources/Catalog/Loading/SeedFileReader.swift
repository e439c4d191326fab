import Diagnostics
import Platform

/// Reads regular files in one directory. Links that lead out of the directory and other kinds of files are refused.
struct SeedFileReader {
  let path: String
  private let realPath: String

  /// Throws a finding if the directory cannot be read.
  init(_ path: String) throws(SeedFileError) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard let real = resolved(path) else { throw .system(path) }
    realPath = real == "/" ? "" : real
  }

  /// The sorted names in a folder; `nil` if it does not exist. `""` is the directory itself.
  func names(in folder: String) throws(SeedFileError) -> [String]? {
    let full = folder.isEmpty ? path : "\(path)/\(folder)"
    guard let real = resolved(full) else {
      if errno == ENOENT { return nil }
      throw .system(full)
    }
    try requireInside(real, named: full)
    guard let stream = opendir(real) else { throw .system(full) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
          String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Whether a path below the directory is a folder, or a link to one.
  func isFolder(_ relativePath: String) -> Bool {
    var status = stat()
    return stat("\(path)/\(relativePath)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// A file's text, by its path below the directory.
  func source(_ relativePath: String, limit: Int) throws(SeedFileError) -> SourceText {
    let full = "\(path)/\(relativePath)"
    guard let real = resolved(full) else { throw .system(full) }
    try requireInside(real, named: full)
    return SourceText(name: full, bytes: try bytes(of: real, named: full, limit: limit))
  }

  private func requireInside(_ real: String, named full: String) throws(SeedFileError) {
    guard real == realPath || real.hasPrefix(realPath + "/") else {
      throw SeedFileError(.outsideTree, "\(full) points outside the seed directory, to \(real)")
    }
  }

  private func bytes(of real: String, named full: String, limit: Int) throws(SeedFileError) -> [UInt8] {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    let descriptor = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system(full) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(full) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SeedFileError(.unreadable, "cannot read \(full): it is not a file")
    }
    guard Int(status.st_size) <= limit else {
      throw SeedFileError(
        .tooLarge, "\(full) has \(status.st_size) bytes; a seed file may have at most \(limit)",
        help: "Split it into several files.")
    }
    return try content(of: descriptor, expected: Int(status.st_size), named: full)
  }

  /// Reads to the end when the file has become shorter since its size was asked for.
  func content(of descriptor: Int32, expected: Int, named full: String) throws(SeedFileError)
    -> [UInt8]
  {
    var bytes = [UInt8](repeating: 0, count: expected)
    var filled = 0
    while filled < expected {
      let count = bytes.withUnsafeMutableBytes {
        read(descriptor, $0.baseAddress?.advanced(by: filled), expected - filled)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw .system(full) }
      if count == 0 { break }
      filled += count
    }
    bytes.removeLast(expected - filled)
    return bytes
  }
}

/// The error for an unreadable seed file or folder.
struct SeedFileError: Error {
  let diagnostic: Diagnostic

  init(_ rule: SeedRule, _ message: String, help: String? = nil) {
    diagnostic = Diagnostic(rule, message, help: help)
  }

  /// The system's own reason, from `errno`.
  static func system(_ path: String) -> SeedFileError {
    SeedFileError(.unreadable, "cannot read \(path): \(String(cString: strerror(errno)))")
  }
}

private func resolved(_ path: String) -> String? {
  guard let real = realpath(path, nil) else { return nil }
  defer { free(real) }
  return String(cString: real)
}
