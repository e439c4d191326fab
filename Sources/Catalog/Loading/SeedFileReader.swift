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

/// Finds the entries of a seed directory that the loader does not read.
///
/// Each of them is a finding: a folder with a misspelled name would otherwise be an empty catalog, and `--prune` would
/// delete what its files declare. Three kinds of entries hold no seeds and are left out: hidden ones (`.DS_Store`,
/// `.gitkeep`, an editor's swap file), Markdown documents, and the JSON Schemas in `schemas`.
enum UnreadSeedFiles {
  private static let known = ["categories.json", "feeds", "collections"]
  private static let help = "A seed directory holds categories.json, feeds/*.json and collections/*.json."

  /// The entries of the directory itself, by their names.
  static func findings(_ names: [String], in tree: SeedFileReader) -> [Diagnostic] {
    names.filter { !known.contains($0) && $0 != "schemas" && $0.mayHoldSeeds }.map { name in
      let lower = name.lowercased()
      let meant = known.contains(lower) ? lower : SpellingSuggestion.nearest(to: lower, among: known)
      return finding(name, in: tree, help: meant.map { "Did you mean '\($0)'?" } ?? help)
    }
  }

  /// The entries of one of the directory's folders, by their names.
  static func findings(_ names: [String], ofFolder folder: String, in tree: SeedFileReader) -> [Diagnostic] {
    names.filter { $0.mayHoldSeeds && !$0.isSeedFileName }.map { name in
      let path = "\(folder)/\(name)"
      if tree.isFolder(path) {
        return finding(path, in: tree, help: "Move its files to \(folder)/: folders below it are not read.")
      }
      let help =
        name.lowercased().hasSuffix(".json")
        ? "Write the ending in lower case: .json." : "Only files whose names end in .json are read."
      return finding(path, in: tree, help: help)
    }
  }

  private static func finding(_ path: String, in tree: SeedFileReader, help: String) -> Diagnostic {
    let slash = tree.isFolder(path) ? "/" : ""
    return Diagnostic(.unexpectedFile, "\(tree.path)/\(path)\(slash) is not read", help: help)
  }
}

extension String {
  var isSeedFileName: Bool { hasSuffix(".json") && !hasPrefix(".") }

  fileprivate var mayHoldSeeds: Bool { !hasPrefix(".") && !lowercased().hasSuffix(".md") }
}

/// Finds the seed folder for commands without a folder argument.
public enum SeedFolder {
  public static let name = "seeds"

  /// The folder `seeds` with a `categories.json`, in a folder or in the nearest one above it.
  ///
  /// - Parameter directory: an absolute path.
  public static func nearest(to directory: String) -> String? {
    var folder = directory
    while true {
      let candidate = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      if (try? FileKind("\(candidate)/categories.json")) == .file { return candidate }
      guard let slash = folder.lastIndex(of: "/"), folder != "/" else { return nil }
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
    }
  }
}
