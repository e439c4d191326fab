import Diagnostics
import Testing

@testable import SchemaLanguage

@Suite("Targets of comments") struct CommentTargetsTests {
  @Test("a sorted list is searched for its first element from a condition on", arguments: 0...9)
  func search(count: Int) {
    let numbers = Array(0..<count)
    for bound in 0...count { #expect(numbers.firstIndexBySearch { $0 >= bound } == bound) }
  }

  @Test(
    "a comment applies to what is on its line, else to the next declaration of the type, else to the type")
  func targets() {
    let parsed = parse(
      """
      // a
      DEFINE SCHEMA // b
      CREATE ROLE r; // c
      // d
      RECORD TYPE A ( // e
        // f
        x STRING, // g
        y STRING // h
        // i
      ); // j
      // k
      CREATE ROLE s; RECORD TYPE B ( z STRING ); /* l */ /* m */
      // n
      """)
    let targets = CommentTargets(parsed)
    let found = parsed.comments.map { comment in
      let name = parsed.source.text(in: comment.range).filter(\.isLetter)
      return switch targets.target(of: comment) {
      case .file: "\(name) the file"
      case .declaration(let range): "\(name) \(parsed.source.text(in: range).prefix(13))"
      case .nothing: "\(name) nothing"
      }
    }
    #expect(
      found == [
        "a the file", "b CREATE ROLE r", "c CREATE ROLE r", "d RECORD TYPE A", "e RECORD TYPE A",
        "f x STRING", "g x STRING",
        "h y STRING", "i RECORD TYPE A", "j RECORD TYPE A", "k CREATE ROLE s", "l RECORD TYPE B",
        "m RECORD TYPE B", "n nothing",
      ])
  }
}
