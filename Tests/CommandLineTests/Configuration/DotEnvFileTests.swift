import Testing

@testable import CommandLine

@Suite("The .env file") struct DotEnvFileTests {
  @Test(
    "a line means what other tools take it for",
    arguments: [
      ("A=plain", "plain"), ("A = spaced  ", "spaced"), ("A=", ""), ("A=x=y", "x=y"),
      (#"A="in quotes""#, "in quotes"), ("A='as $it \\n is'", "as $it \\n is"),
      (#"A="one\ntwo \"three\" \$4 \d""#, "one\ntwo \"three\" $4 \\d"),
      ("A=value # a comment", "value"), ("A=va#lue", "va#lue"), ("A= # only a comment", ""),
      (#"A="va # lue" # a comment"#, "va # lue"), ("export A=exported", "exported"),
      ("A=windows\r\nB=2\r", "windows"), ("A='quoted'\r\n", "quoted"), ("A=first\nA=second", "second"),
      ("A=\"-----BEGIN\nKEY\n\"\nB=2", "-----BEGIN\nKEY\n"), ("\u{FEFF}A=marked", "marked"),
      ("# A=no\n\nnot an assignment\nA=yes", "yes"), ("export=odd\nA=1", "1"),
      (#"A='it'\''s'"#, "it's"), (#"A="a"'b'"#, "ab"), (#"A='a'\ 'b' # c"#, "a b"),
    ])
  func values(_ text: String, _ wanted: String) throws {
    #expect(try DotEnvFile(Array(text.utf8)).values["A"] == wanted)
  }

  @Test(
    "what cannot be meant is refused with its line",
    arguments: [
      ("A=1\nB=\"open\nC=3", DotEnvFile.Malformed(line: 2, reason: "the closing quote is missing")),
      ("A='1'2", DotEnvFile.Malformed(line: 1, reason: "unexpected text after the closing quote")),
    ])
  func refusals(_ text: String, _ wanted: DotEnvFile.Malformed) {
    #expect(throws: wanted) { try DotEnvFile(Array(text.utf8)) }
  }

  @Test("a line that makes no sense is an error only where the tool needs it")
  func otherTools() throws {
    for line in ["OTHER='open", "OTHER='1'2"] {
      let text = Array("\(line)\nA=1".utf8)
      #expect(try DotEnvFile(text, required: ["A"]).values["A"] == "1")
      #expect(throws: DotEnvFile.Malformed.self) { try DotEnvFile(text, required: ["OTHER"]) }
    }
  }
}
