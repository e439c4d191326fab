internal import Cryptography
internal import Diagnostics
internal import FeedParsing
internal import FoundationEssentials
internal import WebServicesWire

/// Measures in process what has no command of its own, and prints one JSON object.
@main
enum Yardsticks {
  static func main() throws {
    let words = CommandLine.arguments.dropFirst()
    let result: JSONValue =
      switch (words.first, words.dropFirst().first) {
      case ("feed", let path?): feed(try bytes(path))
      case ("page", let path?): try page(try bytes(path))
      case ("p256", nil): try signing()
      case ("json", _?): try json(words.dropFirst().map(bytes))
      default: throw Usage()
      }
    print(result.text())
  }

  struct Usage: Error, CustomStringConvertible {
    let description = "usage: celestra-yardsticks feed FILE | page FILE | json FILE... | p256"
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }

  /// Parsing a feed, beside libxml2's SAX2 push parser under empty handlers: the best turn of each.
  private static func feed(_ document: [UInt8]) -> JSONValue {
    let result = FeedParsingBenchmark.run(document: document, seconds: 3)
    return [
      "items": .integer(Int64(result.items)), "ratio": .double(result.ratio),
      "readRatio": .double(result.readRatio), "textBytes": .integer(Int64(result.textBytes)),
      "readSeconds": .double(Double(result.readNanoseconds) / 1e9),
      "feedSeconds": .double(Double(result.feedNanoseconds) / 1e9),
      "emptySeconds": .double(Double(result.emptyNanoseconds) / 1e9),
    ]
  }

  /// Making records of a `records/query` reply, and of that the JSON alone: means, as a sweep has them.
  private static func page(_ body: [UInt8]) throws -> JSONValue {
    let records = try RecordsReply(json: JSONValue(parsing: body)).outcomes.count
    let json = try perSecond { _ = try JSONValue(parsing: body) }
    let whole = try perSecond { _ = try RecordsReply(json: JSONValue(parsing: body)) }
    return [
      "records": .integer(Int64(records)), "jsonSeconds": .double(1 / json), "seconds": .double(1 / whole),
    ]
  }

  /// Parsing files as JSON, each once a turn: the best of five turns.
  private static func json(_ files: [[UInt8]]) throws -> JSONValue {
    let clock = ContinuousClock()
    let times = try (0..<5).map { _ in
      try clock.measure { for file in files { _ = try JSONValue(parsing: file) } }
    }
    return ["seconds": .double((times.min() ?? .zero) / .seconds(1))]
  }

  private static func signing() throws -> JSONValue {
    let key = try P256PrivateKey.generate()
    let verifying = key.publicKey
    let message = Array("2016-01-25T22:15:43Z:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:/database/1".utf8)
    let signature = try key.signature(for: message)
    let sign = try perSecond { _ = try key.signature(for: message) }
    let verify = try perSecond { if !verifying.isValid(signature, for: message) { throw Usage() } }
    return ["signPerSecond": .double(sign), "verifyPerSecond": .double(verify)]
  }

  /// How often a second the work can be done, over about two seconds.
  private static func perSecond(_ work: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    var turns = 0
    var elapsed = Duration.zero
    repeat {
      for _ in 0..<20 { try work() }
      turns += 20
      elapsed = clock.now - start
    } while elapsed < .seconds(2)
    return Double(turns) / (elapsed / .seconds(1))
  }
}
