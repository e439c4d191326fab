package import Diagnostics

/// The codes of findings in OPML files, pulls and rehearsals.
package enum CurationRule: String, RuleCode {
  case notOPML = "CU0101"
  case brokenXML = "CU0102"
  case tooLarge = "CU0103"
  case cutFile = "CU0104"

  case attributeCase = "CU0201"
  case noAddress = "CU0202"
  case badAddress = "CU0203"
  case notAFeed = "CU0204"
  case repeatedFeed = "CU0205"
  case otherName = "CU0206"
  case unknownFolder = "CU0207"
  case notFollowed = "CU0208"
  case unreadOutline = "CU0209"
  case badLanguage = "CU0210"
  case nearDuplicate = "CU0211"
  case noCategory = "CU0212"
  case feedScheme = "CU0213"
  case structure = "CU0214"
  case encodingMismatch = "CU0215"
  case undefinedEntity = "CU0216"
  case needsTrust = "CU0217"
  case unresolvedValue = "CU0218"
  case noLanguage = "CU0219"
  case secretAddress = "CU0220"
  case privateAddress = "CU0221"
  case addressFragment = "CU0222"
  case brokenOutline = "CU0223"

  case madeUpSlug = "CU0301"
  case twinRecords = "CU0302"
  case unusableRecord = "CU0303"
  case danglingFeed = "CU0304"
  case unknownBase = "CU0305"
  case unknownReaders = "CU0306"
  case unusableValue = "CU0307"

  case refusedQuery = "CU0402"
  case emptyScreen = "CU0403"
  case truncatedScreen = "CU0404"
  case missingRecords = "CU0406"
  case collidingSubscriptions = "CU0407"
  case subscriptionFields = "CU0408"

  case deadFeed = "CU0501"
  case staleFeed = "CU0502"
  case commentsFeed = "CU0503"
  case feedLanguage = "CU0504"

  package var rule: Rule {
    switch self {
    case .notOPML:
      rule(
        "not-opml", .error, "The file is not OPML",
        why: "An OPML file has an `opml` root element with outlines in it.",
        example: "<rss version=\"2.0\"><channel/></rss>", useInstead: opml(outline),
        source: reading)
    case .brokenXML:
      rule(
        "broken-opml", .warning, "The file is not well-formed XML",
        why:
          "Many programs write unescaped ampersands or leave out end tags. The import reads the file "
          + "anyway. Check the entries near the reported line.",
        example: opml("<outline text=\"A & B\" type=\"rss\" xmlUrl=\"https://a.example/feed\"/>"),
        useInstead: opml(outline), source: reading)
    case .tooLarge:
      rule(
        "opml-too-large", .error, "The file exceeds a limit: size, depth, or length of a tag",
        why: "The limits keep an untrusted file from using too much time and memory.",
        example: opml("{300 × <outline text=\"a\">}{300 × </outline>}"), useInstead: opml(outline),
        source: reading)
    case .cutFile:
      rule(
        "cut-opml", .error, "The file ends before its `opml` element does",
        why:
          "The file was not written or sent as a whole. The import takes the outlines before that place. The one that "
          + "is open there may be cut anywhere, so nothing of it is taken.",
        example:
          "<opml version=\"2.0\"><body>\(outline)<outline text=\"B\" type=\"rss\" xmlUrl=\"https://b.exa",
        useInstead: opml(outline), help: "Export the list of feeds from the reader once more.",
        source: reading)
    case .brokenOutline:
      rule(
        "broken-outline", .error, "The tag of an outline is not well-formed, or its end tag is missing",
        why:
          "Where its tag is broken off, what the outline says is not certain, and nothing of it is imported. Where its "
          + "end tag is missing, the folders of the outlines after it are not certain.",
        example: opml(
          outline.replacing("text=\"A\"", with: "text=\"A <a href=\"https://a.example\">B</a>\"")),
        useInstead: opml(outline.replacing("text=\"A\"", with: "text=\"A B\"")),
        help: "Write &lt; for < and &quot; for \" in its attributes, then import the file again.",
        source: reading)
    case .attributeCase:
      rule(
        "opml-attribute-case", .note, "The name of an attribute differs in case from the specification",
        why:
          "Names in XML are case-sensitive. The import reads the attribute as if it were spelled correctly.",
        example: opml("<outline text=\"A\" type=\"rss\" xmlurl=\"https://a.example/feed\"/>"),
        useInstead: opml(outline), source: reading)
    case .noAddress:
      rule(
        "opml-no-feed-address", .warning, "An outline has a web page, but no feed",
        why: "Without `xmlUrl` there is nothing to subscribe to.",
        example: opml("<outline text=\"A\" htmlUrl=\"https://a.example/\"/>"), useInstead: opml(outline),
        help: "Run the import with --find: it looks for the page's feed.", source: reading)
    case .badAddress:
      rule(
        "opml-bad-address", .error, "The feed address of an outline cannot be used",
        why: "The catalog accepts only absolute http and https addresses.",
        example: opml("<outline text=\"A\" type=\"rss\" xmlUrl=\"feed.xml\"/>"), useInstead: opml(outline),
        source: reading)
    case .notAFeed:
      rule(
        "opml-not-a-feed", .note, "The type of an outline is neither RSS nor Atom",
        why:
          "Its `type` attribute says that the address leads to something else, such as a page or another "
          + "list. The outline is skipped.",
        example: opml("<outline text=\"A\" type=\"link\" url=\"https://a.example/\"/>"),
        useInstead: opml(outline),
        source: reading)
    case .repeatedFeed:
      rule(
        "opml-repeated-feed", .note, "The file lists a feed more than once",
        why: "The catalog has each feed once. Another folder gives it another tag or collection.",
        example: opml(outline + outline), useInstead: opml(outline), source: reading)
    case .otherName:
      rule(
        "opml-other-name", .note, "An outline has two different names",
        why:
          "`text` is the name that a reader gave the feed, and `title` is the publisher's name. The catalog "
          + "takes `text`.",
        example: opml("<outline text=\"A\" title=\"B\" type=\"rss\" xmlUrl=\"https://a.example/feed\"/>"),
        useInstead: opml(outline), source: reading)
    case .unknownFolder:
      rule(
        "opml-unknown-folder", .warning, "A folder does not have the name of a category",
        why: "Its feeds need a category, and a new category is an editor's decision.",
        example: opml("<outline text=\"Tecnology\">\(outline)</outline>"),
        useInstead: opml("<outline text=\"Technology\">\(outline)</outline>"), source: mapping)
    case .notFollowed:
      rule(
        "opml-include", .note, "An outline includes another file",
        why: "The import does not fetch other files. Import them one by one.",
        example: opml("<outline text=\"A\" type=\"include\" url=\"https://a.example/more.opml\"/>"),
        useInstead: opml(outline), source: reading)
    case .unreadOutline:
      rule(
        "opml-empty-outline", .note, "An outline has no name, no address and no content",
        why: "It is left out.", example: opml("<outline/>"), useInstead: opml(outline), source: reading)
    case .badLanguage:
      rule(
        "opml-language", .note, "The language of an outline is not a code of ISO 639-1",
        why: "The import ignores it, and the feed gets the default language, English.",
        example: opml(
          "<outline text=\"A\" type=\"rss\" xmlUrl=\"https://a.example/feed\" language=\"unknown\"/>"),
        useInstead: opml(
          "<outline text=\"A\" type=\"rss\" xmlUrl=\"https://a.example/feed\" language=\"en-us\"/>"),
        source: mapping)
    case .nearDuplicate:
      rule(
        "opml-near-duplicate", .warning,
        "A feed is probably in the catalog already, at a slightly different address",
        why: "The readers of one feed would be divided between two records. The feed is not added.",
        example: opml("<outline text=\"A\" type=\"rss\" xmlUrl=\"http://www.six.example/feed\"/>"),
        useInstead: opml(outline),
        help: "Compare the two. If they are different feeds, add the new one with 'seed add'.",
        source: Rule.reference("curation", "near-duplicates"))
    case .noCategory:
      rule(
        "opml-no-category", .error, "A feed has no category",
        why: "Every feed of the catalog has one category.",
        example: opml(outline), useInstead: opml("<outline text=\"Technology\">\(outline)</outline>"),
        help: "Name a category for such feeds with --category.", source: mapping)
    case .feedScheme:
      rule(
        "opml-feed-scheme", .note, "The feed address of an outline begins with 'feed:'",
        why:
          "Some programs write `feed:https://…` or `feed://…`, which is not a web address. The import reads "
          + "the address after `feed:`, and `feed://` as `http://`.",
        example: opml("<outline text=\"A\" type=\"rss\" xmlUrl=\"feed:https://a.example/feed\"/>"),
        useInstead: opml(outline), source: reading)
    case .structure:
      rule(
        "opml-structure", .note, "The file has no outlines, or has some outside its body",
        why: "The outlines of an OPML file are in its `body` element. The import reads the others too.",
        example: "<opml version=\"2.0\">\(outline)</opml>", useInstead: opml(outline), source: reading)
    case .encodingMismatch:
      rule(
        "opml-encoding", .note, "The text is not in the encoding that the file declares",
        why:
          "The import reads the text in the encoding that it seems to have. Check the names that have other "
          + "characters than ASCII.",
        example: "<?xml version=\"1.0\" encoding=\"windows-1252\"?>" + opml(cafe),
        useInstead: "<?xml version=\"1.0\" encoding=\"utf-8\"?>" + opml(cafe), source: reading)
    case .undefinedEntity:
      rule(
        "opml-entity", .note, "The file uses an entity that XML does not define",
        why:
          "XML defines only five entities. The import also reads those of HTML, but other programs may refuse "
          + "the file.",
        example: opml(cafe.replacing("é", with: "&eacute;")),
        useInstead: opml(cafe.replacing("é", with: "&#233;")), source: reading)

    case .needsTrust:
      rule(
        "opml-needs-trust", .note, "An attribute decides about records or about trust",
        why:
          "`celestra:recordName` ties a feed to an existing record and its readers, and `celestra:isVerified` and "
          + "`celestra:isFeatured` vouch for it. The import ignores them unless you trust the file, and then "
          + "prints each one.",
        example: opml(outline.replacing("/>", with: " celestra:isVerified=\"true\"/>")),
        useInstead: opml(outline),
        help: "If the file is an export of your own catalog, add --trust-celestra.", source: mapping)
    case .unresolvedValue:
      rule(
        "opml-unresolved-value", .note, "A value of an outline does not fit the catalog, and was left out",
        why:
          "A replacement has to be a feed that the import adds or finds, and is not retired itself. A collection "
          + "lists no retired feed. A record belongs to one feed.",
        example: opml(
          outline.replacing("/>", with: " celestra:retired=\"true\" celestra:replacedBy=\"nowhere\"/>")),
        useInstead: opml(outline), source: mapping)

    case .noLanguage:
      rule(
        "opml-no-language", .note, "No language is known for new feeds",
        why:
          "The import invents no language. Apps treat a feed without one as English, which is wrong for many.",
        example: opml(outline), useInstead: opml(outline.replacing("/>", with: " language=\"de\"/>")),
        help:
          "An import with --check takes the language from the feeds. Add it to entries that are written already.",
        source: mapping)
    case .secretAddress:
      rule(
        "opml-secret-address", .warning, "A feed address contains a value that looks like a secret",
        why:
          "The catalog is public, and so are the seeds in most repositories. Messages leave the query out.",
        example: opml(outline.replacing("/feed\"", with: "/feed?token=abc\"")), useInstead: opml(outline),
        help: "Remove the feed, or use its public address.", source: mapping)
    case .privateAddress:
      rule(
        "opml-private-address", .warning, "The host of a feed address is in a private network",
        why: "Readers cannot reach it, and health checks refuse it.",
        example: opml(outline.replacing("a.example", with: "192.168.1.20")), useInstead: opml(outline),
        help: "Remove the feed, or use its public address.", source: mapping)
    case .addressFragment:
      rule(
        "opml-address-fragment", .note, "A feed address has a part after '#'",
        why: "Servers never see that part, so that two such addresses are one feed.",
        example: opml(outline.replacing("/feed\"", with: "/feed#all\"")), useInstead: opml(outline),
        help: "Remove the part after '#', unless readers need it.", source: mapping)

    case .deadFeed:
      rule(
        "dead-feed", .warning, "A new feed does not answer with a feed",
        why: "It may have moved or ended. The import adds it, because the failure may be for a moment.",
        help: "Run 'feed find' for its site, and remove the entry if nothing is found.", source: mapping)
    case .staleFeed:
      rule(
        "stale-feed", .note, "A new feed has had nothing new for a year",
        why: "Its site may have ended, or the feed may have another address.",
        help: "Run 'feed find' for its site, and remove the entry if it has ended.", source: mapping)

    case .commentsFeed:
      rule(
        "comments-feed", .warning, "A feed of comments was added",
        why: "Readers expect articles. Many sites declare a feed of comments beside that of their articles.",
        help: "Choose another feed of the site with --pick.",
        source: Rule.reference("curation", "finding-feeds"))
    case .feedLanguage:
      rule(
        "feed-language", .warning, "The language of a new entry is not certain",
        why: "Apps offer feeds by language, and treat a feed without one as English.",
        help: "Look at the feed, and correct 'language' in the entry.",
        source: Rule.reference("curation", "finding-feeds"))

    case .madeUpSlug:
      rule(
        "made-up-slug", .note, "A record of the container gets a generated slug without meaning",
        why: "Neither its title nor its host name has ASCII words, so the slug is made from a hash.",
        help: "Rename it before other seeds refer to it.", source: pulling)
    case .twinRecords:
      rule(
        "twin-records", .warning, "Several records of the container have the same feed URL",
        why:
          "The seeds have one entry for each feed, and the tool cannot know which record it belongs to. "
          + "None of the records is pulled, and a collection that lists one of them keeps its list in the files.",
        help: "Compare the records, and delete all but the one that readers subscribe to.", source: pulling)
    case .unusableRecord:
      rule(
        "unusable-record", .warning, "A record of the container lacks a value that every seed needs",
        why:
          "A category needs a name, a collection a title, and a feed a title, a feed URL that apps can read, and a "
          + "category. The record is not pulled.",
        help: "Correct the record, then pull again.", source: pulling)
    case .danglingFeed:
      rule(
        "dangling-feed", .warning, "A collection of the container lists a record that is not a feed",
        why: "The list is pulled without it.", help: "Run 'celestra-admin container verify'.", source: pulling
      )
    case .unknownBase:
      rule(
        "unknown-base", .note, "The git commit that was applied last is not in this clone or branch",
        why:
          "Without it, the tool cannot know whether the seeds or the container changed a field, so every "
          + "difference is a conflict.",
        help: "Fetch the commit, or name another with --base.", source: pulling)
    case .unknownReaders:
      rule(
        "unknown-readers", .note, "The numbers of readers are not known",
        why:
          "Of two duplicates, the feed with more readers should stay. Without a container, the suggestion "
          + "ignores the readers.",
        help: "Name the container with --container.",
        source: Rule.reference("curation", "near-duplicates"))

    case .unusableValue:
      rule(
        "unusable-value", .warning, "A record of the container has a value that no seed may have",
        why: "The files keep their value, so that a mistake in the container clears nothing.",
        help: "Correct the record, then pull again.", source: pulling)

    case .refusedQuery:
      rule(
        "refused-query", .error, "The container refuses a query",
        why: "The screen shows nothing, and the app gets an error.",
        help: "Correct the query, or the value that it asks for.", source: rehearsal)
    case .emptyScreen:
      rule(
        "empty-screen", .warning, "A screen shows nothing for some value of its parameters",
        why: "Users take an empty screen for a defect of the app.",
        help: "Add a record that the query finds, or set \"mayBeEmpty\" for a screen that may be empty.",
        source: rehearsal)
    case .truncatedScreen:
      rule(
        "truncated-screen", .note, "A screen's limit leaves out rows",
        why: "Users do not see the rows after the limit, unless the app requests more.",
        help: "Raise \"limit\", or let the app request more.", source: rehearsal)
    case .collidingSubscriptions:
      rule(
        "colliding-subscriptions", .error,
        "The service refuses a subscription beside another of the same user",
        why:
          "A user can have one subscription for a record type and a set of events. The second one fails with "
          + "INTERNAL_ERROR, and the app gets no messages for it.",
        help: "Make one subscription for the type, and let the app choose what concerns it.",
        source: rehearsal)
    case .subscriptionFields:
      rule(
        "subscription-fields", .error, "A push message cannot contain a field that its subscription names",
        why:
          "CloudKit puts at most three fields into a message: texts, numbers, times, places and references of the "
          + "record. With another one the app cannot make the subscription, or gets messages without the value.",
        help: "Take the field out of desiredKeys, and let the app read the record.", source: rehearsal)
    case .missingRecords:
      rule(
        "missing-records", .warning, "A screen looks up records that do not exist",
        why: "Apps leave them out and show no error.", help: "Run 'celestra-admin container verify'.",
        source: rehearsal)
    }
  }

  private var pulling: String { Rule.reference("curation", "pulling") }
  private var rehearsal: String { Rule.reference("curation", "rehearsal") }

  private var reading: String { Rule.reference("curation", "opml-files") }
  private var mapping: String { Rule.reference("curation", "opml-and-the-catalog") }
  private var outline: String { "<outline text=\"A\" type=\"rss\" xmlUrl=\"https://a.example/feed\"/>" }
  private var cafe: String { "<outline text=\"Café\" type=\"rss\" xmlUrl=\"https://a.example/feed\"/>" }
  private func opml(_ body: String) -> String { "<opml version=\"2.0\"><body>\(body)</body></opml>" }
}
