import Testing

@testable import AdminCommands
@testable import CommandLine

@Suite struct CommandSuggestionTests {
  @Test(
    "a word that names no command is answered with the commands there are",
    arguments: [
      (["sede"], "'celestra-admin' has no command 'sede'. Did you mean 'seed'?"),
      (["find"], "'celestra-admin' has no command 'find'. Did you mean 'feed find'?"),
      (["help", "sede"], "'celestra-admin' has no command 'sede'. Did you mean 'seed'?"),
      (["seed", "aply"], "'celestra-admin seed' has no command 'aply'. Did you mean 'apply'?"),
      (["seed", "help", "aply"], "'celestra-admin seed' has no command 'aply'. Did you mean 'apply'?"),
      (["config", "zzzzzz"], "'celestra-admin config' has no command 'zzzzzz'. It has list, schema, show."),
    ])
  func unknown(_ words: [String], _ message: String) throws {
    let refusal = try #require(CommandSuggestion.refusal(of: words, in: AdminTool.self))
    #expect(refusal.message == message)
  }

  @Test(
    "words that name a command are left alone", arguments: [["seed", "apply", "sede"], ["--version"], []])
  func known(_ words: [String]) { #expect(CommandSuggestion.refusal(of: words, in: AdminTool.self) == nil) }

  @Test("help may stand before or after a noun")
  func help() {
    #expect(
      CommandSuggestion.withHelpFirst(["seed", "help", "plan"], of: AdminTool.self) == [
        "help", "seed", "plan",
      ])
    #expect(CommandSuggestion.withHelpFirst(["help", "seed"], of: AdminTool.self) == ["help", "seed"])
    #expect(
      CommandSuggestion.withHelpFirst(["seed", "plan", "help"], of: AdminTool.self) == [
        "seed", "plan", "help",
      ])
  }
}
