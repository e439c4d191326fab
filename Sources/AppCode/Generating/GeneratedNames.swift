internal import Cryptography

/// Names of generated declarations: the names of the schema, with `_` after those that the language or the generated
/// code has already.
struct GeneratedNames {
  private let reserved: [Set<String>]
  private var taken: Set<String> = []

  /// - Parameter reserved: several sets, because a union of all type names for each file would take long.
  init(reserved: Set<String>...) { self.reserved = reserved }

  /// A name that no other declaration has.
  ///
  /// - Parameter forms: the names of all declarations made from it, such as `encodeFeed` from `Feed`.
  mutating func name(for wanted: String, forms: (String) -> [String] = { [$0] }) -> String {
    // Managed names have dots.
    var name = wanted.replacing(".", with: "_")
    while reserved.contains(where: { $0.contains(name) }) || forms(name).contains(where: taken.contains) {
      name += "_"
    }
    taken.formUnion(forms(name))
    return name
  }
}

/// The files of record types: their names, also on file systems that ignore case.
struct GeneratedFileNames {
  private var taken: Set<String> = []

  mutating func file(for name: String, ending: String) -> String {
    let stem =
      taken.insert(name.lowercased()).inserted
      ? name : "\(name)-\(SHA256.hex(name).prefix(8))"
    return stem + ending
  }
}
