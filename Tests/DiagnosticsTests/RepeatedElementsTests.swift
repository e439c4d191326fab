import Diagnostics
import Testing

/// Elements that share a key with an earlier one.
@Suite struct RepeatedElementsTests {
  @Test("each later element comes with the first of its key, in order; elements without a key are left out")
  func repeated() {
    let words = ["apple", "bean", "avocado", "", "basil", "", "almond", "corn"]
    let pairs = words.repeated { $0.first }
    #expect(pairs.map(\.element) == ["avocado", "basil", "almond"])
    #expect(pairs.map(\.first) == ["apple", "bean", "apple"])
  }
}
