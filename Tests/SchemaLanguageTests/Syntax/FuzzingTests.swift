import FuzzPromises
import Platform
import Testing

@Suite("Any bytes at all") struct FuzzingTests {
  private static let seeds = [
    "DEFINE SCHEMA\n\n    CREATE ROLE Mods;\n\n    RECORD TYPE T ( // c\n        \"___recordID\" REFERENCE QUERYABLE,\n"
      + "        tags LIST<ENCRYPTED STRING>, -- x\n        n NUMBER PREFERRED AS INT64,\n"
      + "        /* two\n lines */ b BYTES QUERYABLE,\n        GRANT READ, WRITE TO Mods,\n"
      + "        GRANT READ TO \"_world\" // w\n    );\n// end\n",
    "DEFINE SCHEMA\nRECORD TYPE \"cloudkit.share\" (\"cloudkit.title\" STRING, GRANT WRITE TO \"_creator\");\n"
      + "RECORD TYPE Users (roles LIST<INT64>);",
    "// celestra:ignore CK0203 reason\nDEFINE SCHEMA RECORD TYPE A(a STRING,GRANT WRITE TO \"_world\");",
  ]

  private static let pieces = [
    "DEFINE SCHEMA", "RECORD TYPE ", "CREATE ROLE ", "GRANT ", "READ", ",", ";", "(", ")", "<", ">", "\"",
    "//",
    "/*", "*/", "--", "\n", "\r\n", "\r", " ", "LIST", "ENCRYPTED ", "NUMBER", " PREFERRED AS ", "STRING",
    "QUERYABLE",
    "TO ", "_world", "é", "\u{FEFF}", "grant", "{", "}", "[", "]", "celestra:ignore ", "CK0203",
  ].map { Array($0.utf8) }

  @Test("parsing and printing keep their promises on thousands of mutated schemas", arguments: 0..<8)
  func mutations(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed + 1))
    for _ in 0..<500 {
      let input = Self.mutated(&random)
      if let problem = SchemaPromises.broken(by: input) {
        Issue.record("\(problem)\nfor:\n\(String(decoding: input, as: UTF8.self))")
        return
      }
    }
  }

  private static func mutated(_ random: inout SeededGenerator) -> [UInt8] {
    var bytes = Array(seeds[Int.random(in: 0..<seeds.count, using: &random)].utf8)
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let place = Int.random(in: 0...bytes.count, using: &random)
      let end = min(bytes.count, place + Int.random(in: 0...12, using: &random))
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes.removeSubrange(place..<end)
      case 1: bytes.insert(contentsOf: pieces[Int.random(in: 0..<pieces.count, using: &random)], at: place)
      case 2:
        bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
      default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
      }
    }
    return bytes
  }
}
