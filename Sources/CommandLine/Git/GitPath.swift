/// The path of a file in a commit, from the repository's root, with only names that a checkout can write. Trees are
/// data from others: git stores any bytes as names, and refuses bad ones only when it checks them out.
struct GitPath: Sendable, Hashable, CustomStringConvertible {
  let names: [String]

  var description: String { names.joined(separator: "/") }

  init(names: [String]) { self.names = names }

  init?(_ text: String) {
    let names = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard names.allSatisfy(GitPath.isName) else { return nil }
    self.init(names: names)
  }

  /// The path that a user means in a folder: a path with `./` or `../` at its start is from the folder, any other
  /// from the root. `nil` if it leads out of the repository.
  init?(_ text: String, in folder: [String]) {
    guard text.hasPrefix("./") || text.hasPrefix("../") else {
      self.init(text)
      return
    }
    var names = folder
    for name in text.split(separator: "/").map(String.init) where name != "." {
      guard name == ".." else {
        names.append(name)
        continue
      }
      guard names.popLast() != nil else { return nil }
    }
    self.init(names: names)
  }

  /// Whether a name can be one of a file: not empty, `.`, `..` or `.git` in any case, and without a separator of
  /// any system.
  static func isName(_ name: String) -> Bool {
    !["", ".", "..", ".git"].contains(name.lowercased())
      && !name.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0 == "\0" }
  }
}
