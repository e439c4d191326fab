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

  /// Keys are the label's letters and digits.
  private static let aliases = [
    "utf8": "utf-8", "u8": "utf-8", "unicode11utf8": "utf-8", "ascii": "us-ascii", "usascii": "us-ascii",
    "ansix341968": "us-ascii", "iso646us": "us-ascii", "utf16": "utf-16be", "u16": "utf-16be",
    "ucs2": "utf-16be", "utf16be": "utf-16be", "unicode": "utf-16le", "utf16le": "utf-16le",
    "utf32": "utf-32be", "u32": "utf-32be", "ucs4": "utf-32be", "utf7": "utf-7", "u7": "utf-7",
    "latin1": "iso-8859-1", "l1": "iso-8859-1", "isolatin1": "iso-8859-1", "csisolatin1": "iso-8859-1",
    "isoir100": "iso-8859-1", "latin2": "iso-8859-2", "l2": "iso-8859-2", "csisolatin2": "iso-8859-2",
    "latin5": "iso-8859-9", "l5": "iso-8859-9", "cyrillic": "iso-8859-5", "csisolatincyrillic": "iso-8859-5",
    "greek": "iso-8859-7", "greek8": "iso-8859-7", "elot928": "iso-8859-7", "hebrew": "iso-8859-8",
    "arabic": "iso-8859-6", "latin9": "iso-8859-15", "l9": "iso-8859-15", "ansi": "windows-1252",
    "gb2312": "gb18030", "gb231280": "gb18030", "gb23121980": "gb18030", "gbk": "gb18030", "xgbk": "gb18030",
    "cp936": "gb18030", "ms936": "gb18030", "936": "gb18030", "gb18030": "gb18030", "gb180302000": "gb18030",
    "euccn": "gb18030", "eucgb2312cn": "gb18030", "chinese": "gb18030", "csgb2312": "gb18030",
    "isoir58": "gb18030", "csiso58gb231280": "gb18030", "shiftjis": "shift-jis", "sjis": "shift-jis",
    "xsjis": "shift-jis", "mskanji": "shift-jis", "windows31j": "shift-jis", "cswindows31j": "shift-jis",
    "csshiftjis": "shift-jis", "cp932": "shift-jis", "ms932": "shift-jis", "932": "shift-jis",
    "shiftjis2004": "shift-jisx0213", "sjis2004": "shift-jisx0213", "shiftjisx0213": "shift-jisx0213",
    "eucjp": "euc-jp", "xeucjp": "euc-jp", "ujis": "euc-jp", "cseucpkdfmtjapanese": "euc-jp",
    "eucjis2004": "euc-jisx0213", "eucjisx0213": "euc-jisx0213", "iso2022jp": "iso-2022-jp",
    "csiso2022jp": "iso-2022-jp", "iso2022jp1": "iso-2022-jp-2", "iso2022jp2": "iso-2022-jp-2",
    "iso2022jp3": "iso-2022-jp-3", "iso2022kr": "iso-2022-kr", "csiso2022kr": "iso-2022-kr",
    "iso2022cn": "iso-2022-cn", "euckr": "euc-kr", "ksc56011987": "euc-kr", "ksc56011989": "euc-kr",
    "ksc5601": "euc-kr", "ksx1001": "euc-kr", "korean": "euc-kr", "isoir149": "euc-kr",
    "csksc56011987": "euc-kr", "cseuckr": "euc-kr", "cp949": "euc-kr", "ms949": "euc-kr", "949": "euc-kr",
    "uhc": "euc-kr", "windows949": "euc-kr", "ms1361": "johab", "cp1361": "johab", "johab": "johab",
    "big5": "big5", "xxbig5": "big5", "big5hkscs": "big5", "hkscs": "big5", "csbig5": "big5",
    "cnbig5": "big5", "big5tw": "big5", "cp950": "big5", "ms950": "big5", "950": "big5", "koi8r": "koi8-r",
    "koi8": "koi8-r", "koi": "koi8-r", "cskoi8r": "koi8-r", "koi8u": "koi8-u", "koi8ru": "koi8-u",
    "tis620": "tis-620", "windows874": "tis-620", "thai": "tis-620", "dos874": "tis-620", "cp874": "tis-620",
    "macroman": "macintosh", "xmacroman": "macintosh", "mac": "macintosh", "macintosh": "macintosh",
    "xmaccyrillic": "mac-cyrillic", "maccyrillic": "mac-cyrillic", "xmacukrainian": "mac-cyrillic",
    "maccentraleurope": "mac-centraleurope", "macce": "mac-centraleurope", "xmacce": "mac-centraleurope",
    "maclatin2": "mac-centraleurope", "maccenteuro": "mac-centraleurope",
  ]

  private static let supersets = [
    "iso-8859-1": "WINDOWS-1252", "iso-8859-9": "WINDOWS-1254", "shift-jis": "CP932", "euc-kr": "CP949",
    "big5": "BIG5-HKSCS", "tis-620": "CP874", "iso-8859-11": "CP874", "shift-jisx0213": "SHIFT_JISX0213",
  ]
}
