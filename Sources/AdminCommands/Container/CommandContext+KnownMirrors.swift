internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import Platform
internal import SystemPackage

/// A mirror that this machine made of the command's container.
struct KnownMirror {
  let path: String
  /// What the file says; `nil` if it cannot be read, or is not there any more.
  let mark: MirrorMark?
  let problem: String?
}

extension CommandContext {
  /// The file of the state folder that lists the mirrors: in each line environment, container and path.
  private static let listName = "mirrors"
  private static let listSize = 1 << 20

  /// Remembers where a mirror of the command's container is, for ``knownMirrors()``. Throws `FileFailure`.
  func remember(mirror path: String) throws {
    let line = try line(ofMirror: path)
    let list = try StateFolder.open(stateDirectory, making: true).file(Self.listName, .readAndAppend)
    let known = String(decoding: try list.content(upTo: Self.listSize), as: UTF8.self)
    guard !known.split(separator: "\n").contains(line[...]) else { return }
    try list.append(Array("\(line)\n".utf8))
  }

  /// Forgets a mirror that has no file any more. Throws `FileFailure`.
  func forget(mirror path: String) throws {
    let folder = try StateFolder.open(stateDirectory, making: true)
    let gone = try line(ofMirror: path)
    let list = try folder.file(Self.listName, .read).content(upTo: Self.listSize)
    let kept = String(decoding: list, as: UTF8.self).split(separator: "\n").filter { $0 != gone[...] }
    let name = "\(Self.listName).\(makeRunID())"
    try folder.file(name, .readAndAppend).append(Array(kept.map { "\($0)\n" }.joined().utf8))
    try folder.rename(name, to: Self.listName)
  }

  private func line(ofMirror path: String) throws -> String {
    try mirrorsOfTarget + FilePath(process.directory).pushing(FilePath(path)).lexicallyNormalized().string
  }

  /// How the lines of the target's mirrors begin.
  private var mirrorsOfTarget: String {
    get throws { "\(try target.environment.rawValue) \(try target.name) " }
  }

  /// The mirrors of the command's container that this machine made, in their order. Throws `FileFailure`.
  func knownMirrors() throws -> [KnownMirror] {
    guard let folder = try StateFolder.existing(stateDirectory), try folder.contains(Self.listName) else {
      return []
    }
    let list = try folder.file(Self.listName, .read).content(upTo: Self.listSize)
    let start = try mirrorsOfTarget
    return String(decoding: list, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix(start) }
      .map { mirror(at: String($0.dropFirst(start.count))) }
  }

  private func mirror(at path: String) -> KnownMirror {
    do {
      guard try !LocalStore.isMissing(path) else {
        return KnownMirror(path: path, mark: nil, problem: "not there any more")
      }
      let mark = try LocalStore(.file(path), access: .readOnly).mirror
      return KnownMirror(path: path, mark: mark, problem: mark == nil ? "not a mirror any more" : nil)
    } catch {
      return KnownMirror(path: path, mark: nil, problem: CommandFailure(error).message)
    }
  }
}
