/// A character encoding by name: from any label that documents use, to the name that iconv knows.
package struct EncodingLabel: Equatable, Sendable {
  /// In lower case, as reports print it: "utf-8", "gb18030", "iso-8859-1".
  package let name: String

  /// Reads a label from a document or a header; `nil` for an empty one.
  package init?(_ label: String) {
    if label == "UTF-8" || label == "utf-8" {
      self = .utf8
      return
    }
    let text = label.lowercased().replacing("_", with: "-").filter {
      !$0.isWhitespace && $0 != "\"" && $0 != "'"
    }
    guard !text.isEmpty, text.utf8.count <= 40 else { return nil }
    // Labels differ in their punctuation more than in anything else.
    let key = text.filter { $0.isLetter || $0.isNumber }
    name = Self.aliases[key] ?? Self.numbered(key) ?? text
  }

  package static let utf8 = EncodingLabel(known: "utf-8")
  package static let ascii = EncodingLabel(known: "us-ascii")

  init(known name: String) { self.name = name }

  package var isUTF8: Bool { name == "utf-8" || name == "us-ascii" }

  /// True when each character is of two or four bytes.
  var isWide: Bool { name.hasPrefix("utf-16") || name.hasPrefix("utf-32") }

  /// True when any bytes are text in this encoding, so that reading it proves nothing.
  var isSingleByte: Bool {
    ["iso-8859-", "windows-125", "koi8-", "mac", "tis-620", "ibm"].contains { name.hasPrefix($0) }
  }

  /// The name that iconv takes. As on the web, the ISO name of a Windows code page means the code page, and
  /// the GB names mean GB 18030 (Encoding Standard, section 4.2).
  var converterName: String { Self.supersets[name] ?? name.uppercased() }

  /// The names of encoding families with a number: `iso88592`, `iso_8859-2:1987`, `cp1251`, `x-cp1251`, `windows1251`.
  private static func numbered(_ key: String) -> String? {
    if key.hasPrefix("iso8859") {
      // A year may follow.
      let digits = key.dropFirst(7)
      let part = [2, 1].first { digits.count == $0 || digits.count == $0 + 4 }.flatMap {
        Int(digits.prefix($0))
      }
      return part.map { "iso-8859-\($0)" }
    }
    for prefix in ["windows", "xcp", "cp", "win", "ms", ""] where key.hasPrefix(prefix) {
      guard let page = Int(key.dropFirst(prefix.count)) else { continue }
      return (1250...1258).contains(page) ? "windows-\(page)" : nil
    }
    return nil
  }

  /// The lines of `Encodings.txt`: a name, and labels for it, of which only letters and digits count.
  private static let aliases: [String: String] = {
    var aliases: [String: String] = [:]
    for line in String(decoding: PackageResources.Encodings_txt, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      for alias in words.dropFirst() { aliases[String(alias)] = String(words[0].dropLast()) }
    }
    return aliases
  }()

  private static let supersets = [
    "iso-8859-1": "WINDOWS-1252", "iso-8859-9": "WINDOWS-1254", "shift-jis": "CP932", "euc-kr": "CP949",
    "big5": "BIG5-HKSCS", "tis-620": "CP874", "iso-8859-11": "CP874", "shift-jisx0213": "SHIFT_JISX0213",
  ]
}
