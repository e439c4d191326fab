import Platform
import Testing

@Suite struct SeededGeneratorTests {
  @Test("the numbers are those of the published algorithm")
  func published() {
    var random = SeededGenerator(seed: 1_234_567)
    #expect(random.next() == 6_457_827_717_110_365_317)
    #expect(random.next() == 3_203_168_211_198_807_973)
    #expect(random.next() == 9_817_491_932_198_370_423)
  }
}
