import Foundation

/// The modules that Package.swift declares, without tests and fuzzing, in its order.
struct PackageModules {
  struct Module {
    let name: String
    /// Whether it is a C library or its shim.
    let isSystem: Bool
    /// Other modules of the package.
    var dependencies: [String]
  }

  private(set) var modules: [Module] = []

  /// - Parameter manifest: the text of Package.swift.
  init(_ manifest: String) {
    for list in manifest.matches(of: /let (\w+): \[Target\] = \[\n(?s:(.*?))\n\]/)
    where list.1 != "testTargets" {
      for entry in Self.calls(in: String(list.2)) {
        let isSystem = entry.contains("\"Sources/System/")
        let names = entry.matches(of: /"([\w-]+)"/).map { String($0.1) }
        guard let name = names.first else { continue }
        modules.append(
          Module(
            name: name, isSystem: isSystem, dependencies: Array(names.dropFirst())))
      }
    }
    let known = Set(modules.map(\.name))
    for index in modules.indices { modules[index].dependencies.removeAll { !known.contains($0) } }
  }

  /// The calls in a list, each to its closing parenthesis.
  private static func calls(in list: String) -> [String] {
    var calls: [String] = []
    var depth = 0
    var current = ""
    for character in list {
      if character == "(" { depth += 1 }
      if depth > 0 { current.append(character) }
      guard character == ")" else { continue }
      depth -= 1
      if depth == 0 {
        calls.append(current)
        current = ""
      }
    }
    return calls
  }

  /// All modules that a module depends on, directly or through others.
  func reach(of name: String) -> Set<String> {
    var found: Set<String> = []
    var waiting = [name]
    while let next = waiting.popLast() {
      for dependency in modules.first(where: { $0.name == next })?.dependencies ?? []
      where found.insert(dependency).inserted {
        waiting.append(dependency)
      }
    }
    return found
  }
}
