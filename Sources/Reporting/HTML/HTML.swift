package import Diagnostics

/// A piece of HTML.
///
/// A literal in the source code is markup. An interpolated `String` is escaped, so that a browser shows exactly its
/// characters. Each context has its own interpolation, because each needs other escapes: text between tags, an
/// attribute, the target of a link, the id of an element, and JSON in a script.
package struct HTML: Sendable, Hashable, CustomStringConvertible, JoinableText {
  /// UTF-8. A page of 10,000 rows is one buffer, not a tree of strings.
  package private(set) var bytes: [UInt8]

  package var isEmpty: Bool { bytes.isEmpty }
  package var description: String { String(decoding: bytes, as: UTF8.self) }

  package static func + (left: Self, right: Self) -> Self {
    var html = left
    html += right
    return html
  }
  package static func += (left: inout Self, right: Self) { left.bytes += right.bytes }
}

extension HTML: ExpressibleByStringInterpolation {
  package init(stringLiteral value: StaticString) {
    bytes = []
    bytes.append(value)
  }
  /// A file of this tool, in the language of the element that it is the content of.
  init(file bytes: [UInt8]) { self.bytes = bytes }

  package init(stringInterpolation: Interpolation) { bytes = stringInterpolation.bytes }

  /// Literals are static strings, so that no other text can pass for markup.
  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    package init(literalCapacity: Int, interpolationCount: Int) {
      bytes.reserveCapacity(literalCapacity + interpolationCount * 24)
    }

    package mutating func appendLiteral(_ literal: StaticString) { bytes.append(literal) }
    package mutating func appendInterpolation(_ html: HTML) { bytes += html.bytes }
    package mutating func appendInterpolation(_ number: some BinaryInteger) {
      bytes += String(number).utf8
    }

    /// Text between two tags. The escapes would be safe between quotes, too.
    package mutating func appendInterpolation(_ text: String) { bytes.append(escaping: text) }

    /// A whole attribute with the space before it: ` title="…"`. Nothing without a value.
    package mutating func appendInterpolation(attribute name: StaticString, _ value: String?) {
      guard let value else { return }
      begin(name)
      bytes.append(escaping: value, inAttribute: true)
      bytes.append(UInt8(ascii: "\""))
    }

    /// ` href="…"` for an address of the web; nothing for any other, such as `javascript:`.
    package mutating func appendInterpolation(link url: String) {
      guard HTML.isWebAddress(url) else { return }
      appendInterpolation(attribute: "href", url)
    }

    /// ` id="…"`, which ``appendInterpolation(linkToID:)`` leads to. Any name makes an id of its own.
    package mutating func appendInterpolation(id name: String) {
      begin("id")
      bytes.append(identifierOf: name)
      bytes.append(UInt8(ascii: "\""))
    }

    /// ` href="#…"`
    package mutating func appendInterpolation(linkToID name: String) {
      begin("href")
      bytes.append(UInt8(ascii: "#"))
      bytes.append(identifierOf: name)
      bytes.append(UInt8(ascii: "\""))
    }

    /// The content of a script of the type `application/json`.
    package mutating func appendInterpolation(json value: JSONValue) { bytes.append(scriptSafe: value) }

    private mutating func begin(_ name: StaticString) {
      bytes.append(UInt8(ascii: " "))
      bytes.append(name)
      bytes += [UInt8(ascii: "="), UInt8(ascii: "\"")]
    }
  }
}

extension HTML {
  /// Text that a browser may break after each slash, such as an address.
  package init(breakingAtSlashes text: String) {
    self = text.split(separator: "/", omittingEmptySubsequences: false).map { "\(String($0))" as HTML }
      .joined(separator: "/<wbr>")
  }

  /// An absolute http or https address without spaces and control characters, which a browser would skip.
  package static func isWebAddress(_ text: String) -> Bool {
    let start = text.prefix(8).lowercased()
    guard start.hasPrefix("http://") || start.hasPrefix("https://") else { return false }
    return text.unicodeScalars.allSatisfy { !$0.isUnprintable && !$0.properties.isWhitespace }
  }
}

extension PrintableText {
  /// HTML needs no further cleaning: the writer has already replaced the characters that control a terminal or a CI
  /// runner.
  package init(_ html: HTML) { self.init(document: html.description) }
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
  mutating func append(escaping text: String, inAttribute: Bool = false) {
    var hashes = 0
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": append("&amp;")
      case "<": append("&lt;")
      case ">": append("&gt;")
      case "\"": append("&quot;")
      case "'": append("&#39;")
      case "`",
        "=" where inAttribute:
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
