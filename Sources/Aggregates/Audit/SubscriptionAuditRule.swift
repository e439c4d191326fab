package import Diagnostics

/// The codes of findings of `recount audit`.
///
/// An example is a history of a feed in lines of `N subscriptions by KIND`, which SubscriptionAuditTests plays.
package enum SubscriptionAuditRule: String, RuleCode {
  case madeUp = "AG0301"
  case newAccounts = "AG0302"
  case burst = "AG0303"
  case jump = "AG0304"
  case creatorsOverLimit = "AG0305"

  package var rule: Rule {
    switch self {
    case .madeUp:
      rule(
        "made-up-subscriptions", .warning, "A feed has subscriptions whose names their creator cannot have",
        why: "One person can create many records with invented names and raise the number of readers.",
        example: "10 by people over days\n6 made up", useInstead: "10 by people over days",
        help: "Leave them out with `recount subscribers --count-names verified`.", source: Self.page)
    case .newAccounts:
      rule(
        "new-accounts-for-one-feed", .warning,
        "Many accounts that did nothing else subscribed to a feed within one hour",
        why:
          "At least 20 subscriptions in an hour, five times what the feed and the catalog have then, and four of "
          + "five accounts have at most three subscriptions, all of that hour.",
        example: "40 by people over days\n30 by new accounts within an hour",
        useInstead: "40 by people over days\n30 by members within an hour", source: Self.page)
    case .burst:
      rule(
        "burst-of-subscriptions", .note,
        "Many people who also read other feeds subscribed to a feed within one hour",
        why: "A widely read page may have recommended the feed, or a club may have imported it.",
        example: "40 by people over days\n30 by members within an hour", useInstead: "40 by people over days",
        source: Self.page)
    case .jump:
      rule(
        "jump-of-readers", .note, "A feed has more than twice the readers of the last recount",
        why: "It had at least 20 then. The next recount publishes the higher number.",
        example: "50 by people over days\n20 published", useInstead: "50 by people over days\n40 published",
        source: Self.page)
    case .creatorsOverLimit:
      rule(
        "creators-over-limit", .note,
        "Creators have more subscriptions, or more within an hour, than a person makes",
        why: "Each counts once for each feed, so no count is wrong. A program may subscribe for a person.",
        example: "40 by people over days\n600 feeds by one creator", useInstead: "40 by people over days",
        source: Self.page)
    }
  }

  private static let page = Rule.reference("subscriptions", "audit")
}
