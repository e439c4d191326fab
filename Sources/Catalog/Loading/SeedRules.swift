package import Diagnostics

/// The rules of seeds. An example is files of a seed directory: `-- PATH --` begins a file, `-- PATH -> TARGET --` is
/// a symbolic link, and `{N × TEXT}` stands for N times the text.
package enum SeedRules {
  package static let all = SeedRule.rules
}

extension SeedRule {
  package var rule: Rule {
    switch self {
    case .unreadable:
      rule(
        "unreadable-seed", .error, "A seed file or folder cannot be read, or categories.json is missing",
        why:
          "A seed directory holds categories.json, feeds/*.json and collections/*.json. If one of them cannot be "
          + "read, the tool does not know what the catalog should hold, so it applies nothing.",
        example: "-- feeds/extra.json -> missing.json --", useInstead: feed(#""category": "apple""#),
        source: "Documentation/Editors.md")
    case .outsideTree:
      rule(
        "link-out-of-seeds", .error, "A symbolic link points outside the seed directory",
        why:
          "CI reads the seeds of pull requests. A link to a file outside could make a message show the "
          + "content of that file.",
        example: "-- feeds/extra.json -> /etc/hosts --", useInstead: feed(#""category": "apple""#),
        help: "Copy the file into the seed directory.", source: "Documentation/ThreatModel.md")
    case .tooLarge:
      rule(
        "seed-file-too-large", .error, "A seed file is larger than 32 MiB",
        why: "The limit keeps an untrusted seed directory from using too much memory.",
        example: "-- feeds/extra.json --\n{33554432 ×  }{\"feeds\": []}",
        useInstead: feed(#""category": "apple""#),
        help: "Split the file into several files of the same folder.", source: "Documentation/Editors.md")
    case .invalidJSON:
      rule(
        "seed-not-json", .error, "A seed file is not one JSON object",
        why:
          "JSON has no trailing commas and no comments. The message points at the first wrong character.",
        example: "-- feeds/extra.json --\n{\"category\": \"apple\", \"feeds\": [,]}",
        useInstead: "-- feeds/extra.json --\n{\"category\": \"apple\", \"feeds\": []}",
        source: "Documentation/Editors.md")
    case .unexpectedFile:
      rule(
        "unread-seed-file", .warning, "A seed directory holds a file or a folder that is not read",
        why:
          "A file in the wrong place looks as if its content were in the catalog, and --prune would delete what it "
          + "declares. With --prune the finding is therefore an error. Hidden entries, Markdown documents and the "
          + "folder schemas hold no seeds.",
        example: "-- feed.json --\n{\"feeds\": []}",
        useInstead: "-- feeds/feed.json --\n{\"category\": \"apple\", \"feeds\": []}",
        help: "Move it into feeds/ or collections/.", source: "Documentation/Editors.md")

    case .wrongType:
      rule(
        "wrong-seed-type", .error, "A value does not have the type of its field",
        why: "A flag is true or false, a number is an integer, and tags are a list of strings.",
        example: feed(#""isFeatured": 1"#), useInstead: feed(#""isFeatured": true"#),
        source: Rule.reference("catalog", "values"))
    case .missing:
      rule(
        "missing-seed-field", .error, "A required field is missing",
        why: "Apps cannot show a feed without a title, an address and a category.",
        example: "-- feeds/extra.json --\n{\"category\": \"apple\", \"feeds\": [{\"title\": \"Example\"}]}",
        useInstead: feed(#""category": "apple""#), source: "Documentation/Editors.md")
    case .unknownKey:
      rule(
        "unknown-seed-key", .error, "A key is not one of its object's keys",
        why: "A misspelled key would be ignored, and the value would be missing from the catalog.",
        example: feed(#""tag": ["news"]"#), useInstead: feed(#""tags": ["news"]"#),
        source: "Documentation/Editors.md")
    case .computedField:
      rule(
        "computed-seed-field", .note, "A seed gives a value to a field that a job computes",
        why: "Seeding never writes such a field, so the value has no effect.",
        example: feed(#""subscriberCount": 9"#), useInstead: feed(#""category": "apple""#),
        help: "Leave the key out.", source: Rule.reference("catalog", "field-ownership"))
    case .unusableText:
      rule(
        "unusable-seed-text", .error, "A required text is blank, or a text contains a control character",
        why:
          "Apps show the text as it is, and a control character can change what a terminal or a list shows.",
        example: feed(#""subtitle": "Daily\u0007 news""#), useInstead: feed(#""subtitle": "Daily news""#),
        source: Rule.reference("catalog", "values"))
    case .notComposed:
      rule(
        "text-not-composed", .note, "A text is not in composed form (Unicode NFC)",
        why:
          "Queries compare code points, so an accented letter that is one code point does not match the "
          + "same letter as two. The tool stores the composed form.",
        example: feed(#""subtitle": "Cafe\u0301""#), useInstead: feed(#""subtitle": "Caf\u00E9""#),
        help: "Write the text composed, as the message shows it.",
        source: Rule.reference("catalog", "values"))

    case .badSlug:
      rule(
        "bad-slug", .error, "A slug is not lowercase words joined by hyphens",
        why:
          "A slug is part of URLs, file names and record names, so it has only a-z, 0-9 and single hyphens.",
        example: feed(#""slug": "My Feed""#), useInstead: feed(#""slug": "my-feed""#),
        source: Rule.reference("catalog", "slugs"))
    case .badURL:
      rule(
        "bad-seed-url", .error,
        "A URL is not an absolute http or https URL, or has characters that must be percent-encoded",
        why: "Apps and health checks request the URL as it is.",
        example: feed(#""siteURL": "example.com""#), useInstead: feed(#""siteURL": "https://example.com/""#),
        source: Rule.reference("feeds", "web-addresses"))
    case .badLanguage:
      rule(
        "bad-language", .error, "A language is not a two-letter code of ISO 639-1",
        why: "Apps compare the stored text. A region such as en-US is reduced to en, with a warning.",
        example: feed(#""language": "english""#), useInstead: feed(#""language": "en""#),
        source: Rule.reference("catalog", "values"))
    case .badColor:
      rule(
        "bad-color", .error, "A color is not of the form #RRGGBB",
        why: "Apps read six hexadecimal digits and know no color names.",
        example: category(##""color": "blue""##), useInstead: category(##""color": "#007AFF""##),
        source: Rule.reference("catalog", "values"))
    case .badTag:
      rule(
        "bad-tag", .error, "A tag has capitals, white space or a comma, is too long, or is repeated",
        why: "Apps filter by the exact text of a tag.",
        example: feed(#""tags": ["Apple News"]"#), useInstead: feed(#""tags": ["apple-news"]"#),
        source: "Documentation/Editors.md")
    case .badRecordName:
      rule(
        "bad-record-name", .error, "A record name is not one that CloudKit accepts",
        why: "It has 1 to 255 printable ASCII characters and does not begin with an underscore.",
        example: feed(#""recordName": "_feed""#), useInstead: feed(#""recordName": "feed""#),
        source: Rule.reference("catalog", "record-names"))
    case .badIcon:
      rule(
        "bad-icon", .warning, "An icon does not look like the name of an SF Symbol",
        why:
          "An app shows no icon for an unknown name. The tool checks only the form, because only Apple's "
          + "platforms have the list of names.",
        example: category(#""icon": "News Paper""#), useInstead: category(#""icon": "newspaper""#),
        source: Rule.reference("catalog", "values"))

    case .duplicateSlug:
      rule(
        "duplicate-slug", .error, "Two categories, two feeds or two collections have the same slug",
        why: "References name their target by its slug, so it must be unique.",
        example: feed(#""slug": "six-colors""#), useInstead: feed(#""slug": "seven-colors""#),
        source: Rule.reference("catalog", "slugs"))
    case .duplicateName:
      rule(
        "duplicate-name", .error, "Two categories or two collections have the same name",
        why: "A reader cannot distinguish them. Two feeds with the same title are only a warning.",
        example: category(#""name": "Apple""#), useInstead: category(#""name": "Apple history""#),
        source: "Documentation/Editors.md")
    case .duplicateURL:
      rule(
        "duplicate-feed-url", .error, "Two feeds have the same URL",
        why:
          "Subscribers of one feed would be divided between two records. URLs are compared after normalizing.",
        example: feed(#""category": "apple""#, url: "HTTPS://SixColors.com:443/feed/"),
        useInstead: feed(#""category": "apple""#), source: Rule.reference("feeds", "web-addresses"))
    case .duplicateRecordName:
      rule(
        "duplicate-record-name", .error, "Two feeds have the same record name",
        why: "Both would write the same record.",
        example: feeds("first", "first"), useInstead: feeds("first", "second"),
        source: Rule.reference("catalog", "record-names"))
    case .unknownCategory:
      rule(
        "unknown-category", .error, "A feed or a category names a category that is not declared",
        why: "The reference would point to a record that does not exist.",
        example: feed(#""category": "aple""#), useInstead: feed(#""category": "apple""#),
        source: Rule.reference("catalog", "links"))
    case .cyclicParent:
      rule(
        "cyclic-categories", .error, "A category is its own ancestor",
        why: "An app that walks up the parents would never end.",
        example: category(#""parentCategory": "extra""#), useInstead: category(#""parentCategory": "apple""#),
        source: Rule.reference("catalog", "links"))
    case .unknownFeed:
      rule(
        "unknown-feed", .error, "A collection lists a feed that is not declared",
        why: "The reference would point to a record that does not exist.",
        example: collection(#""daring-firball""#), useInstead: collection(#""daring-fireball""#),
        source: Rule.reference("catalog", "links"))
    case .repeatedFeed:
      rule(
        "repeated-collection-feed", .error, "A collection lists a feed twice",
        why: "A collection is an ordered list in which each feed has one place.",
        example: collection(#""six-colors", "six-colors""#),
        useInstead: collection(#""six-colors", "daring-fireball""#),
        source: Rule.reference("catalog", "links"))
    case .recordTooLarge:
      rule(
        "seed-record-too-large", .error, "A record would be larger than CloudKit accepts",
        why: "CloudKit refuses a record of more than 1 MB.",
        example: feed(#""subtitle": "{1000000 × x}""#), useInstead: feed(#""subtitle": "x""#),
        help: "Shorten its longest text.", source: Rule.reference("web-services", "limits"))
    case .emptyCollection:
      rule(
        "empty-collection", .warning, "A collection has no feeds",
        why: "Apps would show an empty collection.",
        example: collection(""), useInstead: collection(#""six-colors""#), source: "Documentation/Editors.md")
    case .nearDuplicate:
      rule(
        "near-duplicate-feed", .warning, "Two feeds have addresses that probably lead to the same feed",
        why:
          "The readers of one feed would be divided between two records. The addresses differ only in parts "
          + "that rarely matter: http or https, www., a slash at the end, or a second host name of a "
          + "well-known service.",
        example: feed(#""slug": "a", "differentFrom": []"#, url: "http://www.sixcolors.com/feed"),
        useInstead: feed(
          #""slug": "a", "differentFrom": ["six-colors"]"#, url: "http://www.sixcolors.com/feed"),
        help:
          "Merge them (Documentation/Editors.md), or add \"differentFrom\" to one if they are different feeds.",
        source: Rule.reference("curation", "near-duplicates"))
    case .retiredFeed:
      rule(
        "retired-feed-in-collection", .error, "A collection lists a retired feed",
        why: "Apps show a retired feed only to readers who already subscribe to it.",
        example:
          "-- feeds/extra.json --\n{\"category\": \"apple\", \"feeds\": [{\"slug\": \"a\", \"title\": \"A\", \"feedURL\": "
          + "\"https://a.example/\", \"retired\": true}]}\n-- collections/extra.json --\n"
          + "{\"slug\": \"extra\", \"title\": \"Extra\", \"feeds\": [\"a\"]}",
        useInstead:
          "-- feeds/extra.json --\n{\"category\": \"apple\", \"feeds\": [{\"slug\": \"a\", \"title\": \"A\", \"feedURL\": "
          + "\"https://a.example/\", \"retired\": true}]}",
        help: "Remove it from the collection, or list the feed that replaces it.",
        source: Rule.reference("catalog", "retired-feeds"))
    case .badReplacement:
      rule(
        "bad-replacement", .error, "The feed named in 'replacedBy' is not declared, or is retired itself",
        why: "Apps use 'replacedBy' to offer readers of a retired feed another one.",
        example: feed(#""slug": "a", "replacedBy": "a""#),
        useInstead: feed(#""slug": "a", "replacedBy": "six-colors""#),
        source: Rule.reference("catalog", "retired-feeds"))
    }
  }

  // MARK: Example files

  private func feed(_ member: String, url: String = "https://example.com/feed") -> String {
    let category = member.contains("\"category\"") ? "" : "\"category\": \"apple\", "
    return """
      -- feeds/extra.json --
      {\(category)"feeds": [
        {"title": "Example", "feedURL": "\(url)", \(member)}
      ]}
      """
  }

  private func feeds(_ first: String, _ second: String) -> String {
    """
    -- feeds/extra.json --
    {"category": "apple", "feeds": [
      {"title": "One", "feedURL": "https://example.com/1", "recordName": "\(first)"},
      {"title": "Two", "feedURL": "https://example.com/2", "recordName": "\(second)"}
    ]}
    """
  }

  private func category(_ member: String) -> String {
    let name = member.contains("\"name\"") ? "" : "\"name\": \"Extra\", "
    return """
      -- categories.json --
      {"categories": [
        {"slug": "technology", "name": "Technology"},
        {"slug": "apple", "name": "Apple"},
        {"slug": "extra", \(name)\(member)}
      ]}
      """
  }

  private func collection(_ feeds: String) -> String {
    "-- collections/extra.json --\n{\"slug\": \"extra\", \"title\": \"Extra\", \"feeds\": [\(feeds)]}"
  }
}
