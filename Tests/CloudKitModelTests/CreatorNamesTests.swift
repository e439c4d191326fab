import CloudKitModel
import Cryptography
import Testing

@Suite("Names that prove their creator") struct CreatorNamesTests {
  private let names = CreatorNames(ownKeys: [
    CreatorNames.keyDigest(of: "_key"), CreatorNames.keyDigest(of: "_old"),
  ])

  /// The vectors of Documentation/reference/subscriptions.md.
  private static let vectors = [
    ("feed", "_user", "cb2151ef5e8a47e8b6ee127abe3e86bfdece8a88e89eb5e0920357ec5a844ae5"),
    (
      "1f361938-a855-52e3-b65b-31b7915bd3fc", "_0123456789abcdef0123456789abcdef",
      "814227f6201bce443e6c7a1267cf7afe394f35152d97486e730aa7ae4ffb2861"
    ),
    ("hacker-news", "_f00", "88d699f15fbc3aba19f26a84b7d0b975791cb50c5815cddadf27f2a067a92bd0"),
  ]

  @Test("the published vectors verify, one after the other", arguments: [1, 3])
  func vectors(_ rounds: Int) {
    let checker = CreatorNames.Checker(names)
    for _ in 0..<rounds {
      for (feed, user, name) in Self.vectors {
        #expect(checker.check(name, group: feed, creator: user) == .verified)
        #expect(checker.check(name, group: feed, creator: user + "0") == .madeUp)
        #expect(checker.check(name, group: feed + "-", creator: user) == .madeUp)
        #expect(checker.check(name.uppercased(), group: feed, creator: user) == .madeUp)
        #expect(checker.check(String(name.dropLast()), group: feed, creator: user) == .madeUp)
        #expect(checker.check(name + "0", group: feed, creator: user) == .madeUp)
        #expect(checker.check(name, group: feed, creator: "") == .unknown)
      }
    }
  }

  @Test(
    "any other name of a key of the tool, past or present, is its own, and that of a verified one is verified"
  )
  func own() {
    let checker = CreatorNames.Checker(names)
    let name = SHA256.hex("feed-_key")
    let kinds = ["_key", "_old", "_key", "_other", "_old"].map {
      checker.check(Self.vectors[0].2, group: "feed", creator: $0)
    }
    #expect(kinds == [.own, .own, .own, .madeUp, .own])
    #expect(checker.check(name, group: "feed", creator: "_key") == .verified)
  }

  @Test("long and empty groups, and texts that are not ASCII")
  func unusual() {
    let checker = CreatorNames.Checker(names)
    for group in ["", String(repeating: "g", count: 1000), "Füße 🦶"] {
      #expect(checker.check(SHA256.hex("\(group)-_ü"), group: group, creator: "_ü") == .verified)
    }
    #expect(checker.check("", group: "", creator: "_u") == .madeUp)
  }

  @Test("a tally is doubtful when fewer than half of the names of others verify")
  func doubt() {
    #expect(!NameTally(verified: 5, own: 90, madeUp: 5).isDoubtful)
    #expect(NameTally(verified: 5, own: 90, madeUp: 6).isDoubtful)
    #expect(NameTally(verified: 5, madeUp: 3, unknown: 3).isDoubtful)
    #expect(!NameTally(own: 9).isDoubtful)
  }
}
