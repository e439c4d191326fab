extension ExampleRun {
  /// Examples that cannot run here, and why. Their words are parsed.
  static let parsedOnly = [
    "celestra-admin lsp": "an editor speaks with it",
    "celestra-admin feed find https://www.youtube.com/@veritasium --explain":
      "the rule that it shows is one for YouTube's own host",
  ]

  /// Puts live sessions beside the catalog.
  private static let withSessions = """
    celestra-admin schema merge schema/celestra.ckdb schema/live-sessions.ckdb > both.ckdb
    celestra-admin schema apply both.ckdb --accept-risk permission-widening --yes -q 2> apply.log
    """

  /// The examples that need more than a shell in the prepared folder.
  static let all: [String: ExampleRun] = [
    // Feeds that have readers would stay.
    "celestra-admin undo --dry-run": ExampleRun(adding: "|| [ $? -eq 5 ]"),
    "celestra-admin undo --strict --dry-run": ExampleRun(adding: "|| [ $? -eq 5 ]"),
    // MARK: Schemas
    "celestra-admin schema merge exported.ckdb additions.ckdb --policy additive --output merged.ckdb":
      ExampleRun(
        before:
          "celestra-admin schema export > exported.ckdb; echo 'DEFINE SCHEMA RECORD TYPE Note (title STRING);' > additions.ckdb"
      ),
    "celestra-admin schema apply --plan plan.json --accept-risk index-loss": ExampleRun(
      before: """
        sed 's/parentCategory REFERENCE QUERYABLE/parentCategory REFERENCE/' schema/celestra.ckdb > less.ckdb
        celestra-admin schema plan less.ckdb --output plan.json
        """, adding: "--yes"),
    "celestra-admin schema export --environment production --output production.ckdb": production,
    "celestra-admin schema pull schema/app.ckdb --environment production --dry-run": production,
    "celestra-admin schema reset --dry-run": production,
    "celestra-admin schema check-app App --schema schema/app.ckdb": app,
    "celestra-admin schema check-app App --schema container:production --format github":
      ExampleRun(before: "\(production.before); \(app.before)"),
    // MARK: Seeds
    "celestra-admin seed apply --plan plan.json --yes": ExampleRun(
      before: """
        sed -i 's/"The Verge"/"Verge"/' seeds/feeds/technology.json
        celestra-admin seed plan --save plan.json
        """),
    "celestra-admin seed add jvns.ca --category technology": site("jvns.ca"),
    "celestra-admin seed add example.com --category news --collection morning-news --tag politics":
      site("example.com"),
    "celestra-admin seed import feeds.opml --dry-run": opml,
    "celestra-admin seed import feeds.opml --check --find": opml,
    "celestra-admin seed import feeds.opml --category entertainment --folders-as tags": opml,
    "celestra-admin seed duplicates --fetch": loopback,
    "celestra-admin seed moves": checked,
    "celestra-admin seed moves --accept six-colors daring-fireball": checked,
    // MARK: Jobs
    "celestra-admin health check -q --budget 30m --fail-on newly-down": loopback,
    "celestra-admin health check --category science --force": loopback,
    "celestra-admin articles fetch -q --budget 30m": loopback,
    "celestra-admin status --since last-week.html --output status.html":
      ExampleRun(before: "celestra-admin status --output last-week.html"),
    "celestra-admin status --format markdown >> \"$GITHUB_STEP_SUMMARY\"":
      ExampleRun(before: "GITHUB_STEP_SUMMARY=summary.md"),
    "celestra-admin feed find kottke.org": site("kottke.org"),
    "celestra-admin feed inspect https://example.com/feed.xml --format text":
      site("https://example.com/feed.xml", "http://SITE/real.xml"),
    // MARK: People
    "celestra-admin person check --container cloudkit:iCloud.com.example.App --environment production":
      ExampleRun(place: .emulator(environment: "production")),
    "celestra-admin person export --person person.txt --recipient cert.pem --output export.cms": person(
      "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 30 -subj /CN=person 2> openssl.log"
    ),
    "celestra-admin person erase --person person.txt --dry-run": person(),
    "celestra-admin sessions close --idle 2h --yes": ExampleRun(before: withSessions),
    "celestra-admin sessions purge --before 30d --yes --accept-risk data-loss": ExampleRun(
      before: withSessions),
    "celestra-admin container fill --sessions 20 --users 50": ExampleRun(before: withSessions),
    "celestra-admin moderation list --before 20h --fail-on waiting": reported(),
    "celestra-admin moderation show NAME": reported(),
    "celestra-admin moderation hide NAME --reason \"insults\"": reported(),
    "celestra-admin moderation restore NAME": reported("celestra-admin moderation hide NAME -q"),
    "celestra-admin moderation decide NAME --as dismissed": reported(),
    "celestra-admin moderation block NAME --reason \"spam\"": reported(),
    "celestra-admin moderation unblock 20261128T090000-9f3a1c-1": reported(
      "id=$(celestra-admin moderation block NAME | grep -o '[0-9]*T[0-9]*-[0-9a-f]*-1' | head -1)",
      replacing: ["20261128T090000-9f3a1c-1": "$id"]),
    "celestra-admin moderation remove NAME --evidence case.cms --recipient cert.pem --yes --accept-risk data-loss":
      reported(
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 30 -subj /CN=court 2> openssl.log"
      ),
    "celestra-admin moderation sweep --yes": reported(),
    // MARK: History and containers
    "celestra-admin history 20260102T030405-9f3a1c": ExampleRun(
      before: "run=$(celestra-admin history --limit 1 | grep -o '[0-9]*T[0-9]*-[0-9a-f]*')",
      replacing: ["20260102T030405-9f3a1c": "$run"]),
    "celestra-admin container init --schema schema/celestra.ckdb": ExampleRun(before: "rm -r .celestra"),
    "celestra-admin container backup catalog.sqlite --container cloudkit:iCloud.com.example.App":
      ExampleRun(place: .emulator()),
    "celestra-admin container diff yesterday.sqlite catalog.sqlite": ExampleRun(
      before: "celestra-admin container backup yesterday.sqlite && cp yesterday.sqlite catalog.sqlite"),
    "celestra-admin container restore before.sqlite --container local:catalog.sqlite": ExampleRun(
      before: "celestra-admin container backup before.sqlite && cp before.sqlite catalog.sqlite",
      adding: "--yes --accept-risk data-loss"),
    "celestra-admin emulator serve --schema schema/celestra.ckdb --port 8080 --ready-file ready.json":
      // Somebody else may have the port.
      ExampleRun(place: .service(readyFile: "ready.json"), replacing: ["8080": "0"]),
    "celestra-admin emulator exec --schema schema/celestra.ckdb -- celestra-admin seed apply seeds":
      ExampleRun(adding: "--yes"),
    "celestra-admin console --read-only":
      ExampleRun(place: .service(readyFile: "ready.json"), adding: "--ready-file ready.json"),
    "celestra-admin demo --directory /tmp/demo": ExampleRun(replacing: ["/tmp/demo": "demo"]),
    // MARK: Records
    "celestra-admin records create FeedCategory --fields-file category.json":
      ExampleRun(before: #"echo '{"name": "Local", "slug": "local"}' > category.json"#),
    "celestra-admin records delete old-feed older-feed": ExampleRun(
      before: """
        for name in old-feed older-feed; do
          echo '{"recordType": "PublicFeed", "recordName": "'$name'", "fields": {"title": {"type": "STRING", "value": "Old"}}}'
        done | celestra-admin records import - --yes -q
        """, adding: "--yes"),
    "celestra-admin records import catalog.ndjson --dry-run":
      ExampleRun(before: "celestra-admin records export --output catalog.ndjson"),
    // MARK: Set up
    "celestra-admin auth check --container cloudkit:iCloud.com.example.App": ExampleRun(place: .emulator()),
    "celestra-admin auth save-token < token.txt": token,
    "celestra-admin cktool save-token --type management < token.txt": token,
    "celestra-admin auth remove-token": saved,
    "celestra-admin cktool remove-token --type management": ExampleRun(
      before: saved.before, adding: "--force"),
    "celestra-admin completion bash > ~/.local/share/bash-completion/completions/celestra-admin":
      ExampleRun(before: "mkdir -p ~/.local/share/bash-completion/completions"),
    "celestra-admin completion zsh > \"${fpath[1]}/_celestra-admin\"": ExampleRun(before: "fpath=([1]=.)"),
    "celestra-admin completion fish > ~/.config/fish/completions/celestra-admin.fish":
      ExampleRun(before: "mkdir -p ~/.config/fish/completions"),
    "celestra-admin man > /usr/local/share/man/man1/celestra-admin.1":
      ExampleRun(before: "mkdir -p local/share/man/man1", replacing: ["/usr/local": "local"]),
    // MARK: cktool
    "celestra-admin cktool export-schema --team-id TEAM --container-id iCloud.com.example.App --environment development --output-file schema.ckdb":
      notes(),
    "celestra-admin cktool import-schema --team-id TEAM --container-id iCloud.com.example.App --environment development --file schema.ckdb":
      notes("cp notes.ckdb schema.ckdb"),
    "celestra-admin cktool validate-schema --team-id TEAM --container-id iCloud.com.example.App --environment development --file schema.ckdb":
      notes("cp notes.ckdb schema.ckdb"),
    "celestra-admin cktool reset-schema --team-id TEAM --container-id iCloud.com.example.App --yes --accept-risk data-loss":
      notes(),
    "celestra-admin cktool get-teams": notes(),
  ]

  /// An app's code that uses what every schema has.
  private static let app = ExampleRun(
    before: "mkdir -p App; echo 'let user = CKRecord(recordType: \"Users\")' > App/User.swift")

  private static let loopback = ExampleRun(adding: "--allow-private-addresses")
  private static let production = ExampleRun(before: "celestra-admin schema promote --yes -q")
  /// A health check has found that two feeds moved.
  private static let checked = ExampleRun(
    before: """
      for check in 1 2 3; do
        celestra-admin health check --only six-colors daring-fireball --force --allow-private-addresses > check.txt
      done
      """)
  private static let token = ExampleRun(before: "echo 0123456789abcdef > token.txt")
  private static let saved = ExampleRun(before: "echo 0123456789abcdef | celestra-admin auth save-token")

  private static func site(_ name: String, _ stand: String = "SITE") -> ExampleRun {
    ExampleRun(replacing: [name: stand], adding: "--allow-private-addresses")
  }

  /// An OPML file of one site that the catalog does not have.
  private static let opml = ExampleRun(
    before: """
      echo '<opml version="2.0"><body><outline text="News"><outline type="rss" text="Weather Notes"
        xmlUrl="http://SITE/real.xml" htmlUrl="http://SITE/"/></outline></body></opml>' > feeds.opml
      """, adding: "--allow-private-addresses")

  /// A user of the app, whose user record name is in a file.
  private static func person(_ before: String = "") -> ExampleRun {
    ExampleRun(
      place: .emulator(),
      before: """
        place="database/1/$CLOUDKIT_CONTAINER_ID/development/public"
        curl -sf "$CLOUDKIT_BASE_URL/$place/users/caller?ckAPIToken=$CLOUDKIT_API_TOKEN&ckWebAuthToken=demo-user-jane" |
          sed 's/.*"userRecordName":"\\([^"]*\\)".*/\\1/' > person.txt
        \(before)
        """)
  }

  /// A message of a user of the app, which another one has reported.
  private static func reported(_ before: String = "", replacing: [String: String] = [:]) -> ExampleRun {
    ExampleRun(
      place: .emulator(schema: "schema/live-sessions.ckdb"),
      before: """
        as() { CLOUDKIT_KEY_ID= CLOUDKIT_PRIVATE_KEY_PATH= CLOUDKIT_WEB_AUTH_TOKEN=demo-user-$1 celestra-admin records import - -q; }
        text() { printf '"%s":{"type":"STRING","value":"%s"}' $1 $2; }
        printf '{"recordType":"ChatMessage","recordName":"NAME","fields":{%s}}' "$(text message Hello)" | as ann
        open='"isOpen":{"type":"INT64","value":1}'
        printf '{"recordType":"AbuseReport","recordName":"report","fields":{%s,%s}}' "$(text target NAME)" "$open" | as bob
        \(before)
        """, replacing: replacing)
  }

  /// Notes on an emulator.
  private static func notes(_ before: String = "") -> ExampleRun {
    ExampleRun(
      place: .emulator(schema: "notes.ckdb"),
      before: """
        team=$CLOUDKIT_TEAM_ID
        \(before)
        """,
      replacing: ["TEAM": "$team"])
  }
}
