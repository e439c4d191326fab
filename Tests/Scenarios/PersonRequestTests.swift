import Foundation
import Testing

/// A person asks for their data and for its deletion, and the operator answers with the built binary on an emulator.
@Suite struct PersonRequestTests {
  /// Shell functions: `as USER COMMAND…` runs a command as a signed-in user of the app; `name USER` prints the user record
  /// name; `subscription NAME FEED` prints a line for an import.
  private static let functions = #"""
    set -e
    as() { user=$1; shift; CLOUDKIT_KEY_ID= CLOUDKIT_PRIVATE_KEY_PATH= CLOUDKIT_WEB_AUTH_TOKEN=demo-user-$user "$@"; }
    name() { curl -sf "$CLOUDKIT_BASE_URL/database/1/$CLOUDKIT_CONTAINER_ID/development/public/users/caller?ckAPIToken=$CLOUDKIT_API_TOKEN&ckWebAuthToken=demo-user-$1" | sed 's/.*"userRecordName":"\([^"]*\)".*/\1/'; }
    subscription() {
      record=$(printf '%s-%s' "$2" "$1" | sha256sum | cut -d' ' -f1)
      printf '{"recordType":"FeedSubscription","recordName":"%s","fields":{"feedRecordName":{"type":"STRING","value":"%s"}}}\n' "$record" "$2"
    }
    feeds() { for feed in one two three; do printf '{"recordType":"PublicFeed","recordName":"%s","fields":{"title":{"type":"STRING","value":"The %s feed"},"slug":{"type":"STRING","value":"%s"}}}\n' $feed $feed $feed; done; }
    feeds > feeds.jsonl
    celestra-admin records import feeds.jsonl -q
    mkdir -p secret
    name jane > secret/jane; name bob > secret/bob
    for feed in one two; do subscription $(cat secret/jane) $feed; done > secret/jane.jsonl
    subscription $(cat secret/bob) one > secret/bob.jsonl
    as jane celestra-admin records import secret/jane.jsonl -q
    as bob celestra-admin records import secret/bob.jsonl -q
    openssl req -x509 -newkey rsa:2048 -nodes -keyout secret/key.pem -out cert.pem -days 30 -subj '/CN=Jane Doe' -addext keyUsage=critical,keyEncipherment 2> /dev/null
    export CELESTRA_ADMIN_RECORDS_SETTLE=1s

    """#

  /// Runs a script beside an emulator with the bundled schema.
  private func run(
    _ script: String, roles: String? = nil, options: [String] = [], in folder: String
  ) async throws -> Tool.Outcome {
    try (Self.functions + script).write(toFile: "\(folder)/run.sh", atomically: true, encoding: .utf8)
    let identity = roles.map { ["--identity-roles", $0] } ?? []
    return try await Tool(directory: folder).run(
      ["emulator", "exec", "--schema", "schema/celestra.ckdb"] + identity + options + ["--", "sh", "run.sh"])
  }

  @Test("the operator exports what only the person can open, and erases it; nothing names the person")
  func request() async throws {
    try await withScratchFolder { folder in
      let outcome = try await run(
        """
        celestra-admin recount subscribers -v --metrics recount.prom
        celestra-admin person check -v
        celestra-admin person export --person secret/jane --recipient cert.pem --output export.cms -v
        stat -c 'mode %a' export.cms
        openssl cms -decrypt -inform PEM -in export.cms -inkey secret/key.pem -out secret/export.json
        celestra-admin person export --person secret/jane --recipient cert.pem --output again.json --format json
        celestra-admin person export --person secret/jane --accept-risk person-disclosure --output secret/plain.json
        stat -c 'plain %a' secret/plain.json
        celestra-admin person erase --person - --dry-run --format json < secret/jane > dry.json
        celestra-admin person erase --person secret/jane --yes --accept-risk data-loss -v
        celestra-admin person erase --person - --yes --accept-risk data-loss --format json < secret/jane > erased.json
        celestra-admin history
        run=$(celestra-admin history --format json | sed -n 's/.*"id": "\\(.*\\)",/\\1/p' | head -1)
        celestra-admin undo $run && exit 1
        celestra-admin undo $run --format json && exit 1
        celestra-admin records count FeedSubscription
        celestra-admin records get one
        celestra-admin recount subscribers --max-drop 100 --metrics recount.prom --format json > recount.json
        """, in: folder)
      #expect(outcome.status == 0, "\(outcome.out)\(outcome.err)")
      #expect(outcome.out.contains("mode 600") && outcome.out.contains("plain 600"))
      #expect(outcome.out.contains("exported 2 records, encrypted for the certificate"))
      #expect(outcome.out.contains("exported 2 records, not encrypted"))
      #expect(outcome.out.contains(/FeedSubscription +2 +2 +0 +0 +0  by index and derived names/))
      #expect(
        outcome.out.contains(
          /2 deleted  no \(it deleted records of which the history keeps only the number\)/))
      #expect(
        outcome.err.contains(
          "cannot be undone: it deleted records of which the history keeps only the number"))
      #expect(outcome.out.contains("1  FeedSubscription"))
      // Erased, and not yet recounted.
      #expect(outcome.out.contains("subscriberCount  2"))

      let export = try #require(try object("\(folder)/secret/export.json"))
      let plain = try #require(try object("\(folder)/secret/plain.json"))
      #expect(plain["user"] as? String == export["user"] as? String)
      #expect((plain["records"] as? [Any])?.count == 2)
      #expect(
        (export["records"] as? [[String: Any]])?.compactMap { ($0["about"] as? [String])?.first }.sorted()
          == ["The one feed", "The two feed"])
      #expect(
        try String(contentsOfFile: "\(folder)/secret/jane", encoding: .utf8).hasPrefix(
          try #require(export["user"] as? String)))
      let dry = try #require(try object("\(folder)/dry.json")?["result"] as? [String: Any])
      #expect(dry["dryRun"] as? Bool == true && dry["complete"] as? Bool == true)
      let again = try #require(try object("\(folder)/erased.json")?["result"] as? [String: Any])
      #expect((again["types"] as? [[String: Any]])?.allSatisfy { $0["found"] as? Int == 0 } == true)

      let names = try secrets(folder)
      #expect(names.count == 4)
      for name in names {
        #expect(!(outcome.out + outcome.err).contains(name), "the output names the person")
        for (path, text) in try files(folder) { #expect(!text.contains(name), "\(path) names the person") }
      }
    }
  }

  /// The person's names and those of the records, and the name in the certificate.
  private func secrets(_ folder: String) throws -> [String] {
    let person = try String(contentsOfFile: "\(folder)/secret/jane", encoding: .utf8)
    let lines = try String(contentsOfFile: "\(folder)/secret/jane.jsonl", encoding: .utf8)
    let records = lines.matches(of: /"recordName":"([0-9a-f]{64})"/).map { String($0.1) }
    return [person.trimmingCharacters(in: .newlines), "Jane Doe"] + records
  }

  /// Everything that the runs wrote, histories and reports included. The emulator keeps its records in memory.
  private func files(_ folder: String) throws -> [(path: String, text: String)] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter {
      !$0.hasPrefix("secret") && !$0.hasPrefix("seeds") && $0 != "cert.pem" && $0 != "run.sh"
    }.compactMap { path in
      FileManager.default.contents(atPath: "\(folder)/\(path)").map {
        (path, String(decoding: $0, as: UTF8.self))
      }
    }
  }

  private func object(_ path: String) throws -> [String: Any]? {
    try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path))) as? [String: Any]
  }

  @Test("a key that may not read or delete is refused, by type, and nothing is said to be complete")
  func rights() async throws {
    try await withScratchFolder { folder in
      let outcome = try await run(
        """
        celestra-admin person check --format json > check.json || echo refused check $?
        celestra-admin person erase --person secret/jane --yes --accept-risk data-loss || echo erase $?
        celestra-admin person export --person secret/jane --recipient cert.pem --output export.cms || echo refused export $?
        """, roles: "CatalogAdmin", in: folder)
      #expect(outcome.out.contains("erase 5"), "\(outcome.out)\(outcome.err)")
      #expect(!outcome.out.contains("refused"))
      #expect(outcome.err.contains("FeedSubscription: 2 left (ACCESS_DENIED)"))
      #expect(outcome.err.contains("the key's user record the role PrivacyOfficer, and run"))
      for name in try secrets(folder) { #expect(!(outcome.out + outcome.err).contains(name)) }
    }
  }

  @Test("a key without any role gets an empty answer for subscriptions, which proves nothing")
  func noRole() async throws {
    try await withScratchFolder { folder in
      let other = Self.functions.components(separatedBy: "celestra-admin records import feeds.jsonl -q\n")
      try
        (other[0] + other[1] + """
          celestra-admin person check || echo check $?
          celestra-admin person erase --person secret/jane --yes --accept-risk data-loss || echo erase $?
          printf '%s\\n' _33333333333333333333333333333333 > secret/stranger
          celestra-admin person erase --person secret/stranger --dry-run || echo unsearched $?
          celestra-admin person export --person secret/stranger --recipient cert.pem --output none.cms || echo export $?
          """).write(toFile: "\(folder)/run.sh", atomically: true, encoding: .utf8)
      let outcome = try await Tool(directory: folder).run([
        "emulator", "exec", "--schema", "schema/celestra.ckdb", "--identity-roles", "", "--", "sh", "run.sh",
      ])
      #expect(
        outcome.out.contains("check 3") && outcome.out.contains("erase 3"), "\(outcome.out)\(outcome.err)")
      #expect(outcome.out.contains("unsearched 3") && outcome.out.contains("export 3"))
      #expect(!outcome.err.contains("has no user of this name"))
      #expect(outcome.err.contains("may not read them: give the key's user record the role PrivacyOfficer\n"))
    }
  }

  @Test("what is wrong with the request is said before anything is read")
  func badInput() async throws {
    try await withScratchFolder { folder in
      let outcome = try await run(
        """
        openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out sign.pem -days 30 -subj /CN=x -addext keyUsage=critical,digitalSignature 2> /dev/null
        printf '%s\\n' _33333333333333333333333333333333 > nobody
        try() { echo "== $*"; "$@" || echo "exit $?"; }
        try celestra-admin person export --person secret/jane --recipient sign.pem --output export.cms
        CELESTRA_ADMIN_CLOCK=2090-01-01T00:00:00Z try celestra-admin person export --person secret/jane --recipient cert.pem --output export.cms
        try celestra-admin person export --person secret/jane --recipient secret/key.pem --output export.cms
        try celestra-admin person export --person secret/jane --recipient gone.pem --output export.cms
        try celestra-admin person export --person cert.pem --recipient cert.pem --output export.cms
        try celestra-admin person export --person nobody --recipient cert.pem --output export.cms
        try celestra-admin person export --person secret/jane --recipient cert.pem
        try celestra-admin person export --person secret/jane --output export.cms
        try celestra-admin person export --person secret/jane --output export.cms --accept-risk data-loss
        try celestra-admin person erase --person nobody --yes --accept-risk data-loss
        try celestra-admin person erase --person secret/jane --also userId --yes --accept-risk data-loss
        try celestra-admin person erase --person secret/jane --also userId=mouse --yes --accept-risk data-loss
        test ! -e export.cms
        """, in: folder)
      #expect(outcome.status == 0, "\(outcome.out)\(outcome.err)")
      let statuses = outcome.out.matches(of: /exit (\d+)/).map { String($0.1) }
      #expect(
        statuses == ["1", "1", "1", "1", "64", "1", "64", "1", "64", "1", "64", "64"],
        "\(outcome.out)\(outcome.err)")
      for text in [
        "the certificate is not for encryption", "the certificate has expired",
        "the file contains a private key",
        "a risk that was not accepted: person-disclosure", "--accept-risk takes person-disclosure here",
        "does not contain one user record name", "has no user of this name", "give --output FILE",
        "--also takes FIELD=VALUE", "no record type that users write has the field of --also",
      ] {
        #expect(outcome.err.contains(text), "no '\(text)' in \(outcome.err)")
      }
      for name in try secrets(folder) { #expect(!(outcome.out + outcome.err).contains(name)) }
    }
  }

  @Test("an erasure that is stopped while it waits is finished by running it again")
  func interruption() async throws {
    try await withScratchFolder { folder in
      let outcome = try await run(
        """
        CELESTRA_ADMIN_RECORDS_SETTLE=10m celestra-admin person erase --person secret/jane --yes --accept-risk data-loss 2> notes & run=$!
        until grep -q 'looking again in 10m' notes; do sleep 0.1; done
        kill -INT $run; wait $run || echo stopped $?
        cat notes
        celestra-admin history
        celestra-admin person erase --person secret/jane --yes --accept-risk data-loss
        """, in: folder)
      #expect(outcome.status == 0, "\(outcome.out)\(outcome.err)")
      #expect(
        outcome.out.contains("stopped 130") && outcome.out.contains("2 of 2 records erased"), "\(outcome.out)"
      )
      #expect(outcome.out.contains("erased 0 of 0 records"))
      for name in try secrets(folder) { #expect(!(outcome.out + outcome.err).contains(name)) }
    }
  }

  @Test("an index that lags hides nothing: subscriptions are looked up, and the second look finds the rest")
  func indexDelay() async throws {
    try await withScratchFolder { folder in
      let outcome = try await run(
        """
        echo '{"title":{"type":"STRING","value":"mine"}}' > secret/article.json
        as jane celestra-admin records create PublicArticle --fields-file secret/article.json -q
        CELESTRA_ADMIN_RECORDS_SETTLE=4s celestra-admin person erase --person secret/jane --yes --accept-risk data-loss --format json > erased.json
        # The index shows what was deleted for a while.
        for look in $(seq 100); do celestra-admin records count PublicArticle > count; grep -q '0  Pub' count && break; done
        cat count
        """, options: ["--index-delay", "3000"], in: folder)
      #expect(outcome.status == 0, "\(outcome.out)\(outcome.err)")
      #expect(outcome.out.contains("0  PublicArticle"))
      let result = try #require(try object("\(folder)/erased.json")?["result"] as? [String: Any])
      let types = try #require(result["types"] as? [[String: Any]])
      #expect(types.map { $0["erased"] as? Int } == [2, 1] && result["complete"] as? Bool == true)
    }
  }

  @Test("the guide lists each word by which a field names a person")
  func words() throws {
    func text(_ path: String) throws -> String {
      try String(contentsOf: projectRoot.appending(path: path), encoding: .utf8)
    }
    let table = try text("Sources/SchemaLanguage/Resources/Words.txt").components(separatedBy: "# people\n")
    let words = try #require(table.last?.components(separatedBy: "\n\n").first).split(separator: "\n")
      .filter { !$0.hasPrefix("//") }.flatMap { $0.split(separator: " ").map(String.init) }
    let guide = try text("Documentation/Privacy.md")
    let section = try #require(
      guide.components(separatedBy: "### Fields that name a person").dropFirst().first)
    let list = try #require(section.components(separatedBy: "\n\n").first { $0.hasPrefix("- ") })
    let listed = list.components(separatedBy: "- ").flatMap { item in
      item.drop { $0 != ":" }.lowercased().split { !$0.isLetter }.map(String.init)
    }
    #expect(listed.sorted() == words.sorted())
  }

  @Test("a local container is searched and erased alike")
  func local() async throws {
    try await withScratchFolder { folder in
      var served = try await run("true", options: ["--container-file", "container.sqlite"], in: folder)
      #expect(served.status == 0, "\(served.err)")
      let tool = Tool(directory: folder, environment: ["CELESTRA_ADMIN_CONTAINER": "local:container.sqlite"])
      served = try await tool.run([
        "person", "erase", "--person", "secret/jane", "--yes", "--accept-risk", "data-loss", "--format",
        "json",
      ])
      #expect(served.status == 0 && served.out.contains("\"erased\": 2"), "\(served.out)\(served.err)")
      let count = try await tool.run(["records", "count", "FeedSubscription"])
      #expect(count.out.contains("1  FeedSubscription"))
    }
  }
}
