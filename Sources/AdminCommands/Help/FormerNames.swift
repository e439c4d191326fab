internal import CommandLine

extension FormerName {
  /// The names that scripts written before the first release may contain. More specific ones come first.
  static let all = [
    FormerName("audit", is: "recount audit"),
    FormerName("auth keygen --out", is: "--key-file"),
    FormerName("cktool create-record", is: "records create"),
    FormerName("cktool delete-record", is: "records delete"),
    FormerName("cktool delete-records", is: "records delete"),
    FormerName("cktool query-records", is: "records query"),
    FormerName("history --schema", is: "--former-schema"),
    FormerName("queries", is: "schema rehearse"),
    FormerName("records delete --older-than", is: "--before"),
    FormerName("recount --names shape", is: "--count-names all"),
    FormerName("recount --names creator", is: "--count-names verified"),
    FormerName("recount --names", is: "--count-names"),
    FormerName("recount --strategy names", is: "--strategy by-target"),
    FormerName("schema lint --baseline", is: "--new-since"),
    FormerName("seed drift", is: "seed pull --check"),
    FormerName("sessions close --ended-before", is: "--before"),
    FormerName("report", is: "status --output FILE.html"),
    FormerName("simulate", is: "container fill"),
    FormerName("--via", is: "--schema-route"),
  ]
}
