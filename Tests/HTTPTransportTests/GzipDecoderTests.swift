import HostileFeeds
import Testing

@testable import DemoFeeds
@testable import HTTPTransport

@Suite("Decompression") struct GzipDecoderTests {
  @Test("only what is longer than the limit is cut", arguments: [1, 100, 65_535, 65_536, 131_072, 200_000])
  func limit(_ count: Int) {
    let member = Gzip.stored((0..<count).map { UInt8(truncatingIfNeeded: $0) })
    for (members, limit) in [
      (1, count + 1), (1, count), (1, count - 1), (2, 2 * count), (2, 2 * count - 1), (2, count),
    ] {
      let result = GzipDecoder.unpack(Array(repeatElement(member, count: members).joined()), limit: limit)
      #expect(result.body.count == min(limit, members * count))
      #expect(result.isCut == (members * count > limit), "\(members) members, limit \(limit)")
      #expect(!result.isDamaged && !result.endsEarly)
    }
  }

  @Test(
    "all that a cut member holds is read, wherever it is cut, and no cut is taken for damage",
    arguments: 400...440)
  func cut(_ count: Int) {
    let result = GzipDecoder.unpack(Array(Gzip.bomb(copies: 1000).prefix(count)), limit: .max)
    // A header of ten bytes, 11 bits for one byte, and then 13 bits for 258 each.
    #expect(result.body.count == 1 + ((count - 10) * 8 - 11) / 13 * 258)
    #expect(result.endsEarly && !result.isDamaged && !result.isCut)
  }
}
