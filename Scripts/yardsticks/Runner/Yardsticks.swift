internal import Cryptography
internal import Diagnostics
internal import EmptyParse
internal import FeedParsing
internal import FoundationEssentials

/// Measures in process what has no command of its own, and prints one JSON object.
@main
enum Yardsticks {
  static func main() throws {
    var words = CommandLine.arguments.dropFirst()
    guard let seconds = words.popFirst().flatMap(Double.init) else { throw Usage() }
    let time = Duration.seconds(seconds)
    let result: JSONValue =
      switch (words.first, words.dropFirst().first) {
      case ("feed", let path?): feed(try bytes(path), time)
      case ("p256", nil): try signing(time)
      case ("json", _?): try json(words.dropFirst().map(bytes))
      default: throw Usage()
      }
    print(result.text())
  }

  struct Usage: Error, CustomStringConvertible {
    let description = "usage: celestra-yardsticks SECONDS (feed FILE | json FILE... | p256)"
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }

  /// Parsing a feed, beside libxml2's SAX2 push parser under empty handlers, in turns: the fastest turn of each, which
  /// was disturbed least. `read` also makes a string of every text.
  private static func feed(_ document: [UInt8], _ time: Duration) -> JSONValue {
    let clock = ContinuousClock()
    let deadline = clock.now + time
    var (empty, parsed, read) = (Duration.seconds(3600), Duration.seconds(3600), Duration.seconds(3600))
    repeat {
      empty = min(empty, clock.measure { _ = empty_parse(document, document.count, chunk) })
      parsed = min(parsed, clock.measure { _ = FeedParser.parse(document) })
      read = min(
        read,
        clock.measure {
          for item in FeedParser.parse(document).items {
            for text in [item.id, item.title, item.url, item.author, item.summary] { _ = text?.utf8.count }
          }
        })
    } while clock.now < deadline
    return [
      "emptySeconds": .double(empty / .seconds(1)), "feedSeconds": .double(parsed / .seconds(1)),
      "readSeconds": .double(read / .seconds(1)),
    ]
  }

  private static let chunk = 64 << 10

  /// Parsing files as JSON, each once a turn: the best of five turns.
  private static func json(_ files: [[UInt8]]) throws -> JSONValue {
    let clock = ContinuousClock()
    let times = try (0..<5).map { _ in
      try clock.measure { for file in files { _ = try JSONValue(parsing: file) } }
    }
    return ["seconds": .double((times.min() ?? .zero) / .seconds(1))]
  }

  private static func signing(_ time: Duration) throws -> JSONValue {
    let key = try P256PrivateKey.generate()
    let verifying = key.publicKey
    let message = Array("2016-01-25T22:15:43Z:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:/database/1".utf8)
    let signature = try key.signature(for: message)
    let sign = try perSecond(time) { _ = try key.signature(for: message) }
    let verify = try perSecond(time) { if !verifying.isValid(signature, for: message) { throw Usage() } }
    return ["signPerSecond": .double(sign), "verifyPerSecond": .double(verify)]
  }

  /// How often a second the work can be done, over about that time.
  private static func perSecond(_ time: Duration, _ work: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    var turns = 0
    var elapsed = Duration.zero
    repeat {
      for _ in 0..<20 { try work() }
      turns += 20
      elapsed = clock.now - start
    } while elapsed < time
    return Double(turns) / (elapsed / .seconds(1))
  }
}
