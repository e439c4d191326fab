internal import CommandLine
internal import Diagnostics
internal import Platform

/// The schema files that the arguments of a command name. A folder stands for all `.ckdb` files below it.
enum SchemaPaths {
  /// Throws ``CommandFailure`` for a folder without schema files. A path that does not exist is kept, because the
  /// command reports it beside the findings in other files.
  static func files(_ arguments: [String]) throws -> [String] {
    try arguments.flatMap { argument -> [String] in
      guard argument != "-", !argument.hasPrefix(GitReference.prefix),
        (try? FileKind(argument)) == .folder  // What cannot be accessed is reported when it is read.
      else { return [argument] }
      let files = try FolderTree.files(below: argument, endingWith: ".ckdb")
        .map { $0.hasPrefix("./") ? String($0.dropFirst(2)) : $0 }
      guard !files.isEmpty else {
        throw CommandFailure("the folder \(argument) has no .ckdb file", code: "no-schema")
      }
      return files
    }
  }
}
