import Foundation
import Testing

/// `--metrics` and `--ping` of the built binary.
@Suite struct MonitoringTests {
  private static let first = "2026-01-01T00:00:00Z"
  private static let second = "2026-01-02T00:00:00Z"
  private static let jobs: [[String]] = [
    ["health", "check"], ["recount", "all"], ["recount", "subscribers", "--shard", "1/2"],
    ["container", "verify"], ["seed", "apply", "seeds"],
  ]

  /// A tool with an empty container.
  private func withContainer(_ body: (Tool) async throws -> Void) async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      _ = try await tool.makeContainer(".celestra/container.sqlite")
      try await body(tool)
    }
  }

  private func at(_ time: String, _ tool: Tool, _ variables: [String: String] = [:]) -> Tool {
    var tool = tool
    tool.environment.merge(variables) { $1 }
    tool.environment["CELESTRA_ADMIN_CLOCK"] = time
    return tool
  }

  private func samples(_ name: String, _ tool: Tool) throws -> [Substring: Double] {
    let text = try String(contentsOfFile: "\(tool.directory)/\(name)", encoding: .utf8)
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    return Dictionary(
      uniqueKeysWithValues: lines.map { line in
        let space = line.lastIndex(of: " ") ?? line.startIndex
        return (line[..<space], Double(line[line.index(after: space)...]) ?? .nan)
      })
  }

  private func value(_ family: String, in samples: [Substring: Double]) -> Double? {
    samples.first { $0.key.hasPrefix("celestra_admin_\(family){") }?.value
  }

  @Test(
    "every job writes its metrics, and a run that fails keeps the time of the last success", arguments: jobs)
  func metrics(_ job: [String]) async throws {
    try await withContainer { tool in
      let words = job + ["--metrics", "job.prom"]
      let success = try await at(Self.first, tool).run(words)
      #expect(success.status == 0, "\(success.err)")
      let before = try samples("job.prom", tool)
      #expect(value("run_last_success_timestamp_seconds", in: before) == 1_767_225_600)
      #expect(value("run_exit_code", in: before) == 0)
      #expect(before.keys.allSatisfy { $0.contains("container=\"local:.celestra/container.sqlite\"") })

      try Data("no database".utf8).write(to: URL(filePath: "\(tool.directory)/.celestra/container.sqlite"))
      let failure = try await at(Self.second, tool).run(words)
      #expect(failure.status == 1, "\(failure.err)")
      let after = try samples("job.prom", tool)
      #expect(value("run_last_success_timestamp_seconds", in: after) == 1_767_225_600)
      #expect(value("run_last_completion_timestamp_seconds", in: after) == 1_767_312_000)
      #expect(value("run_exit_code", in: after) == 1)
      let left = try FileManager.default.contentsOfDirectory(atPath: tool.directory)
      #expect(!left.contains { $0.contains("partial") })
    }
  }

  @Test("the guide has every metric")
  func documented() throws {
    let guide = try String(
      contentsOf: projectRoot.appending(path: "Documentation/Operators.md"), encoding: .utf8)
    let names = try ProjectSources.ofTool.get().files.values.flatMap {
      $0.matches(of: /MetricFamily\(\s*"([a-z_]+)"/).map { String($0.1) }
    }
    let purges = ["articles", "messages"].flatMap { ["\($0)_expired", "\($0)_deleted"] }
    for name in names + purges { #expect(guide.contains("`\(name)`"), "\(name)") }
    #expect(names.count > 20)
  }

  @Test("a dry run and a run that another one keeps out change no file, no memory, and send no ping")
  func withoutTrace() async throws {
    try await withContainer { tool in
      let listener = try Listener(answering: ["HTTP/1.1 200 OK"])
      #expect(
        try await at(Self.first, tool).run(["health", "check", "--metrics", "health.prom"]).status == 0)
      let before = FileManager.default.contents(atPath: "\(tool.directory)/health.prom")
      let late = at(
        "2026-01-02T02:00:00Z", tool, ["CELESTRA_ADMIN_PING_URL": "\(listener.url)/secret-check"])
      let dry = try await late.run(["health", "check", "--dry-run", "--metrics", "health.prom"])
      #expect(dry.status == 0, "\(dry.err)")
      let locked = try await late.shell(
        "flock .celestra/lock-health celestra-admin health check --metrics health.prom")
      #expect(locked.status == 6, "\(locked.err)")
      #expect(FileManager.default.contents(atPath: "\(tool.directory)/health.prom") == before)
      #expect(listener.received.isEmpty)
      let status = try await late.run(["status", "--format", "json"])
      #expect(
        status.out.contains("\"no complete health check for 26 hours, since 2026-01-01T00:00:00Z\""))
    }
  }

  @Test("pings report the start, and the end as the exit status has it", arguments: jobs)
  func pings(_ job: [String]) async throws {
    try await withContainer { tool in
      let listener = try Listener(answering: ["HTTP/1.1 200 OK"])
      let tool = at(Self.first, tool, ["CELESTRA_ADMIN_PING_URL": "\(listener.url)/secret-check"])
      let success = try await tool.run(job)
      #expect(success.status == 0, "\(success.err)")
      #expect(!(success.out + success.err).contains("secret-check"))
      let requests = listener.received.split(separator: "POST /")
      #expect(requests.count == 2, "\(listener.received)")
      #expect(requests.first?.hasPrefix("secret-check/start?rid=") == true)
      #expect(requests.last?.hasPrefix("secret-check?rid=") == true)
      #expect(requests.last?.contains("ended with status 0 after ") == true)
      #expect(requests.last?.contains(".celestra") == false)

      try Data("no database".utf8).write(to: URL(filePath: "\(tool.directory)/.celestra/container.sqlite"))
      #expect(try await tool.run(job).status == 1)
      #expect(listener.received.contains("POST /secret-check/fail?rid="))
    }
  }

  @Test("a ping that does not arrive changes neither result nor status, and shows nothing of its address")
  func unreachable() async throws {
    try await withContainer { tool in
      let refusing = try Listener(answering: ["HTTP/1.1 404 Not Found"])
      // With -v, each run reads all feeds, so that the results are equal.
      let check = ["health", "check", "-v", "--format", "json"]
      let plain = try await at(Self.first, tool).run(check)
      for url in [
        "http://127.0.0.1:1/secret-check", "\(refusing.url)/secret-check", "no address secret-check",
        "http://hc.example/secret-check",
      ] {
        let tool = at(Self.first, tool, ["CELESTRA_ADMIN_PING_URL": url])
        let run = try await tool.run(check)
        #expect(run.status == 0)
        #expect(run.out == plain.out)
        #expect(
          run.err.contains(/warning: [^\n]*CELESTRA_ADMIN_PING_URL/) && !run.err.contains("--ping"),
          "\(url): \(run.err)")
        #expect(!run.err.contains("secret-check"))
        guard url.hasPrefix("http") else { continue }
        let given = try await tool.run(check + ["--ping", url])
        #expect(given.err.contains(/warning: [^\n]*--ping/), "\(url): \(given.err)")
        #expect(!given.err.contains("PING_URL"))
      }
    }
  }

  @Test("an address that is none is a usage error that does not repeat it")
  func badAddress() async throws {
    try await withContainer { tool in
      let run = try await tool.run(["health", "check", "--ping", "secret-check"])
      #expect(run.status == 64)
      #expect(run.err.contains("--ping takes an address such as https://hc-ping.com/UUID"))
      #expect(!run.err.contains("secret-check"))
    }
  }

  @Test("a metrics file that cannot be written is a warning, and the job's status is its own")
  func unwritable() async throws {
    try await withContainer { tool in
      let run = try await tool.run(["health", "check", "-q", "--metrics", "missing/health.prom"])
      #expect(run.status == 0)
      #expect(run.err == "warning: no metrics: cannot write missing/health.prom: No such file or directory\n")
    }
  }

  @Test("a command in an emulator does not report to the check of the real job")
  func emulator() async throws {
    try await withContainer { tool in
      let listener = try Listener(answering: ["HTTP/1.1 200 OK"])
      let tool = at(Self.first, tool, ["CELESTRA_ADMIN_PING_URL": "\(listener.url)/secret-check"])
      let run = try await tool.run([
        "emulator", "exec", "--schema", "schema/celestra.ckdb", "--", Tool.path, "health", "check",
      ])
      #expect(run.status == 0, "\(run.err)")
      #expect(listener.received.isEmpty)
    }
  }
}
