import FeedParsing
import Testing

@Suite struct DocumentKindTests {
  @Test(
    "signatures of files",
    arguments: [
      ([0x89, 0x50, 0x4E, 0x47, 0x0D], .picture), ([0xFF, 0xD8, 0xFF], .picture),
      (Array("GIF89a".utf8), .picture),
      ([0, 0, 1, 0], .picture), ([0, 0, 1], nil), ([0, 0, 2, 0], nil), ([1, 0, 1, 0], nil),
      (Array("%PDF-1.7".utf8), .pdf),
      ([0x50, 0x4B, 3, 4], .archive), ([0x50, 0x4B, 3, 5], .plainText), ([0x50, 0x4B, 4, 4], .plainText),
      ([0x1F, 0x8B], .archive),
      (Array("ID3".utf8), .media), ([0xFF, 0xFB], .media), (Array("OggS".utf8), .media),
      (Array("RIFF1234WEBPx".utf8), .picture), (Array("RIFF1234WAVEx".utf8), .media),
      (Array("RIFF1234WEBP".utf8), .plainText),
      (Array("RIFF12345WEBP".utf8), .media), ([], nil), ([0x61, 0], nil),
    ] as [([UInt8], DocumentKind?)])
  func signatures(bytes: [UInt8], expected: DocumentKind?) {
    #expect(DocumentKind(bytes) == expected)
  }

  @Test(
    "texts, by their first mark or their first element that decides",
    arguments: [
      ("{\"a\":1}", .json), (" [1]", .json), ("\u{FEFF}\n{", .json),
      ("<opml version='2'>", .subscriptionList), ("<URLSET>", .sitemap),
      ("<sitemapindex>", .sitemap), ("<!DOCTYPE html>", .webPage), ("<?xml?><html>", .webPage),
      ("<svg>", .picture),
      ("<?xml?><a>", .otherXML), ("<a>", nil), ("a", .plainText), ("x <html>", .webPage),
      ("<html><opml>", .subscriptionList),
      (" ", .plainText), ("(", .plainText),
    ] as [(String, DocumentKind?)])
  func texts(text: String, expected: DocumentKind?) {
    #expect(DocumentKind(text.utf8) == expected)
  }

  @Test("the first 1024 bytes count")
  func window() {
    for (blanks, expected) in [(1019, DocumentKind.webPage), (1020, nil), (1024, .plainText)]
      as [(Int, DocumentKind?)]
    {
      #expect(DocumentKind((String(repeating: " ", count: blanks) + "<html>").utf8) == expected, "\(blanks)")
    }
  }

  @Test("each kind has its own words")
  func words() {
    #expect(Set(DocumentKind.allCases.map(\.words)).count == DocumentKind.allCases.count)
  }
}
