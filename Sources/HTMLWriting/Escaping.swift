internal import Diagnostics

enum EscapingContext {
  case text
  case attribute
}

extension [UInt8] {
  mutating func append(_ literal: StaticString) {
    literal.withUTF8Buffer { append(contentsOf: $0) }
  }

  /// Escapes Unicode scalars, not `Character`s: a quote followed by a combining accent is one `Character`, which does
  /// not equal a quote.
  ///
  /// Control characters, separators of lines, controls of direction and noncharacters become U+FFFD, line ends and tabs
  /// a space: HTML forbids some of them, and the page may be printed on a terminal. So is `##[`, which GitHub's runner
  /// takes for a command.
  mutating func append(escaping text: String, for place: EscapingContext) {
    var hashes = 0
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": append("&amp;")
      case "<": append("&lt;")
      case ">": append("&gt;")
      case "\"": append("&quot;")
      case "'": append("&#39;")
      case "`",
        "=" where place == .attribute:
        append(reference: scalar)
      case "[" where hashes > 1: append(reference: scalar)
      case "\n", "\r", "\t": append(UInt8(ascii: " "))
      default:
        if scalar.isUnprintable || scalar.isNoncharacter {
          append("\u{FFFD}")
        } else {
          append(contentsOf: UTF8.encode(scalar) ?? UTF8.EncodedScalar())
        }
      }
      hashes = scalar == "#" ? hashes + 1 : 0
    }
  }

  /// Letters, digits, `-` and `.` stay, any other byte becomes `_` and its two hexadecimal digits. An `id` may hold
  /// nearly anything, but the fragment of an address may not, and a space would end it.
  mutating func append(identifierOf name: String) {
    append("r-")
    for byte in name.utf8 {
      if byte.isASCIILetter || byte.isASCIIDigit || "-.".utf8.contains(byte) {
        append(byte)
      } else {
        append(UInt8(ascii: "_"))
        append(contentsOf: (byte < 16 ? "0" : "").utf8)
        append(contentsOf: String(byte, radix: 16).utf8)
      }
    }
  }

  /// No reference is decoded in a script, and `</script>` and `<!--` end or change it wherever they are: so JSON's own
  /// escape is used for `<`, `>` and `&`. They occur in strings only.
  mutating func append(scriptSafe value: JSONValue) {
    for byte in value.bytes() {
      switch byte {
      case UInt8(ascii: "<"): append("\\u003c")
      case UInt8(ascii: ">"): append("\\u003e")
      case UInt8(ascii: "&"): append("\\u0026")
      default: append(byte)
      }
    }
  }

  private mutating func append(reference scalar: Unicode.Scalar) {
    append("&#")
    append(contentsOf: String(scalar.value).utf8)
    append(UInt8(ascii: ";"))
  }
}

extension Unicode.Scalar {
  /// One of the 66 code points that no text may contain.
  fileprivate var isNoncharacter: Bool { value & 0xFFFE == 0xFFFE || 0xFDD0...0xFDEF ~= value }
}
