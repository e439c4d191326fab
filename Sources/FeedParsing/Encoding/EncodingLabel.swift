/// Names of character encodings: what a document may call one, what users see, what the converter knows.
struct EncodingLabel: Equatable {
  /// In lower case, as shown: "utf-8", "gb18030", "iso-8859-1".
  let name: String

  /// `nil` for an empty label.
  init?(_ label: String) {
    var text = label.lowercased().replacing("_", with: "-").filter { !$0.isWhitespace }
    text = text.filter { $0 != "\"" && $0 != "'" }
    guard !text.isEmpty, text.utf8.count <= 40 else { return nil }
    name = Self.aliases[text] ?? text
  }

  static let utf8 = EncodingLabel(known: "utf-8")
  static let ascii = EncodingLabel(known: "us-ascii")

  init(known name: String) { self.name = name }

  /// Read as it is, without conversion.
  var isUTF8: Bool { name == "utf-8" || name == "us-ascii" }

  /// The name the converter takes. As on the web, the ISO name of a Windows code page means the code page, and
  /// the GB names mean GB 18030 (Encoding Standard, section 4.2).
  var converterName: String { Self.supersets[name] ?? name.uppercased() }

  private static let aliases = [
    "utf8": "utf-8", "unicode-1-1-utf-8": "utf-8", "ascii": "us-ascii", "ansi-x3.4-1968": "us-ascii",
    "utf16": "utf-16be", "u16": "utf-16be", "utf-16": "utf-16be", "ucs-2": "utf-16be", "unicode": "utf-16le",
    "utf16le": "utf-16le", "utf16be": "utf-16be", "utf32": "utf-32be", "u32": "utf-32be",
    "utf-32": "utf-32be",
    "ucs-4": "utf-32be", "latin1": "iso-8859-1", "latin-1": "iso-8859-1", "l1": "iso-8859-1",
    "iso8859-1": "iso-8859-1", "iso88591": "iso-8859-1", "iso8859-15": "iso-8859-15",
    "cp1250": "windows-1250", "cp1251": "windows-1251", "cp1252": "windows-1252", "win-1251": "windows-1251",
    "win1251": "windows-1251", "ansi": "windows-1252", "x-cp1252": "windows-1252",
    "cp1253": "windows-1253", "cp1254": "windows-1254", "cp1255": "windows-1255", "cp1256": "windows-1256",
    "gb2312": "gb18030", "gb-2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "cp936": "gb18030",
    "gb-18030": "gb18030", "gb-2312-80": "gb18030", "sjis": "shift-jis", "x-sjis": "shift-jis",
    "shiftjis": "shift-jis", "ms-kanji": "shift-jis", "windows-31j": "shift-jis", "cp932": "shift-jis",
    "eucjp": "euc-jp", "x-euc-jp": "euc-jp", "euckr": "euc-kr", "ks-c-5601-1987": "euc-kr",
    "ksc5601": "euc-kr", "cp949": "euc-kr", "big-5": "big5", "x-x-big5": "big5", "big5-hkscs": "big5",
    "koi8r": "koi8-r", "koi8": "koi8-r", "koi8u": "koi8-u", "tis620": "tis-620", "windows-874": "tis-620",
  ]

  private static let supersets = [
    "iso-8859-1": "WINDOWS-1252", "iso-8859-9": "WINDOWS-1254", "shift-jis": "CP932", "euc-kr": "CP949",
    "big5": "BIG5-HKSCS", "tis-620": "CP874", "iso-8859-11": "CP874",
  ]
}
