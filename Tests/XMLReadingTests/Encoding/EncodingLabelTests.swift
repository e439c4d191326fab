import Testing

@testable import XMLReading

@Suite struct EncodingLabelTests {
  @Test(
    "labels of one encoding have one name",
    arguments: [
      ("UTF-8", "utf-8"), ("utf-8", "utf-8"), ("Utf8", "utf-8"), (" \"utf_8\" ", "utf-8"),
      ("'US-ASCII'", "us-ascii"),
      ("ISO-8859-1", "iso-8859-1"), ("iso8859_1", "iso-8859-1"), ("latin1", "iso-8859-1"),
      ("ISO_8859-2:1987", "iso-8859-2"), ("iso-8859-15", "iso-8859-15"), ("iso_8859-15:1999", "iso-8859-15"),
      ("iso-8859-123", "iso-8859-123"), ("iso-8859", "iso-8859"), ("iso-8859-x", "iso-8859-x"),
      ("cp1251", "windows-1251"), ("x-cp1251", "windows-1251"), ("Windows-1250", "windows-1250"),
      ("win1258", "windows-1258"), ("ms-1252", "windows-1252"), ("1252", "windows-1252"),
      ("windows-1249", "windows-1249"), ("windows-1259", "windows-1259"), ("cp", "cp"), ("gbk", "gb18030"),
      ("x-sjis", "shift-jis"), ("Made_Up", "made-up"),
    ])
  func names(label: String, expected: String) {
    #expect(EncodingLabel(label)?.name == expected)
  }

  @Test("a label has 1 to 40 bytes")
  func length() {
    #expect(EncodingLabel("") == nil && EncodingLabel(" \"\" ") == nil)
    let longest = String(repeating: "x", count: 40)
    #expect(EncodingLabel(longest)?.name == longest)
    #expect(EncodingLabel(longest + "x") == nil)
    #expect(EncodingLabel(String(repeating: "é", count: 21)) == nil)
  }

  @Test(
    "an encoding needs conversion or not, and any bytes are text in it or not",
    arguments: [
      ("utf-8", true, false, "UTF-8"), ("us-ascii", true, false, "US-ASCII"),
      ("utf-16le", false, false, "UTF-16LE"),
      ("iso-8859-1", false, true, "WINDOWS-1252"), ("iso-8859-2", false, true, "ISO-8859-2"),
      ("windows-1251", false, true, "WINDOWS-1251"), ("koi8-r", false, true, "KOI8-R"),
      ("macintosh", false, true, "MACINTOSH"), ("tis-620", false, true, "CP874"),
      ("ibm037", false, true, "IBM037"),
      ("shift-jis", false, false, "CP932"), ("gb18030", false, false, "GB18030"),
    ])
  func kinds(name: String, isUTF8: Bool, isSingleByte: Bool, converter: String) {
    let label = EncodingLabel(known: name)
    #expect(label.isUTF8 == isUTF8)
    #expect(label.isSingleByte == isSingleByte)
    #expect(label.converterName == converter)
  }
}
