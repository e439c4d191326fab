internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import Platform
internal import SystemPackage

extension CommandContext {
  /// The file of the state folder that lists the paths of mirrors.
  private static let listName = "mirrors"
  private static let listSize = 1 << 20

  /// Remembers where a mirror of the command's container is, for ``knownMirrors()``. Throws `FileFailure`.
  func remember(mirror path: String) throws {
    let full = FilePath(process.directory).pushing(FilePath(path)).lexicallyNormalized().string
    let list = try StateFolder.open(stateDirectory, making: true).file(Self.listName, .readAndAppend)
    let known = String(decoding: try list.content(upTo: Self.listSize), as: UTF8.self)
    guard !known.split(separator: "\n").contains(full[...]) else { return }
    try list.append(Array("\(full)\n".utf8))
  }

  /// The mirrors of the command's container that this machine made and that are still there, by path. Throws
  /// `FileFailure`, and the errors of a container's file.
  func knownMirrors() throws -> [(path: String, mark: MirrorMark)] {
    guard let folder = try StateFolder.existing(stateDirectory), try folder.contains(Self.listName) else {
      return []
    }
    let list = try folder.file(Self.listName, .read).content(upTo: Self.listSize)
    let target = try target
    return try String(decoding: list, as: UTF8.self).split(separator: "\n").map(String.init).compactMap {
      path in
      guard try !LocalStore.isMissing(path),
        let mark = try LocalStore(.file(path), access: .readOnly).mirror,
        mark.source == target.name, mark.environment == target.environment
      else { return nil }
      return (path, mark)
    }
  }
}
