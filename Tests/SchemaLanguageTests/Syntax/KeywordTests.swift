import Testing

@testable import SchemaLanguage

@Suite("Keywords") struct KeywordTests {
  @Test("a keyword is found in any case, and no word that differs in a letter", arguments: Keyword.allCases)
  func spelling(keyword: Keyword) {
    let word = keyword.rawValue
    #expect(Keyword(word.utf8) == keyword)
    #expect(Keyword(word.lowercased().utf8) == keyword)
    #expect(Keyword((word.prefix(1) + word.dropFirst().lowercased()).utf8) == keyword)
    #expect(Keyword((word + "S").utf8) != keyword)
    #expect(Keyword(word.dropLast().utf8) != keyword)
    for place in word.indices {
      for other in ["Q", "q", "_", "0", "$", "V", "t"] where other.uppercased() != String(word[place]) {
        let changed = word.replacing(place, with: other)
        #expect(Keyword(changed.utf8) != keyword, "\(changed)")
      }
    }
  }

  @Test(
    "names as long as a keyword, or longer than all, are none",
    arguments: ["", "a", "title", "QUERYABLE_ALWAYS"])
  func names(name: String) { #expect(Keyword(name.utf8) == nil) }
}

extension String {
  fileprivate func replacing(_ place: Index, with text: String) -> String {
    String(self[..<place]) + text + String(self[index(after: place)...])
  }
}
