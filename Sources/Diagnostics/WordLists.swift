/// Lists of words that a module has among its resources: a line `# name`, the words below it, and lines with `//` that
/// say what they are for.
package struct WordLists: Sendable {
  private let lists: [String: Set<String>]

  package init(_ page: [UInt8]) {
    var lists: [String: Set<String>] = [:]
    var name = ""
    for line in String(decoding: page, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("//") {
      if line.hasPrefix("# ") {
        name = String(line.dropFirst(2))
      } else {
        lists[name, default: []].formUnion(line.split(separator: " ").map(String.init))
      }
    }
    self.lists = lists
  }

  /// A list that the page lacks is a mistake of this program, and ends it.
  package subscript(name: String) -> Set<String> {
    guard let list = lists[name] else { preconditionFailure("no list is named '\(name)'") }
    return list
  }
}
