/// A pattern of names in which `*` stands for any letters and `?` for one: `CD_*`.
package struct NamePattern: Sendable, Hashable, CustomStringConvertible {
  package let description: String
  private let bytes: [UInt8]

  package init(_ text: String) {
    description = text
    bytes = Array(text.utf8)
  }

  package var hasWildcard: Bool { bytes.contains(star) || bytes.contains(any) }

  /// A name of the schema language, with or without wildcards.
  package var isPossible: Bool {
    !bytes.isEmpty && bytes.allSatisfy { $0.isQuotedNameByte || $0 == star || $0 == any }
  }

  /// The time is at most proportional to the product of the lengths.
  package func matches(_ name: String) -> Bool {
    let name = Array(name.utf8)
    var (place, at) = (0, 0)
    var retry: (pattern: Int, name: Int)?
    while at < name.count {
      if place < bytes.count, bytes[place] == star {
        retry = (place + 1, at)
        place += 1
      } else if place < bytes.count, bytes[place] == any || bytes[place] == name[at] {
        place += 1
        at += 1
      } else if let last = retry {
        retry = (last.pattern, last.name + 1)
        (place, at) = (last.pattern, last.name + 1)
      } else {
        return false
      }
    }
    return bytes[place...].allSatisfy { $0 == star }
  }
}

private let star = UInt8(ascii: "*")
private let any = UInt8(ascii: "?")
