internal import ArgumentParser

/// The command group `articles`.
struct ArticlesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "articles",
    abstract: "Store the items of feeds as articles, search them, and delete expired ones.",
    discussion: """
      Articles are stored by the job that checks feeds: each document is fetched once. The setting articles.store \
      (none, excerpt or full) makes 'health check' store them, too.
      """,
    subcommands: [
      ArticlesFetch.self, ArticlesPurge.self, ArticlesList.self, ArticlesSearch.self,
      ArticlesForecastCommand.self,
    ])
}
