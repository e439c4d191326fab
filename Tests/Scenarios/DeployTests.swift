import Foundation
import Testing

/// The recipes of Documentation/deploy, run as their schedulers run them, on a local container.
@Suite struct DeployTests {
  private static let recipes = projectRoot.appending(path: "Documentation/deploy").path

  private static func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(recipes)/\(name)", encoding: .utf8)
  }

  /// A machine with the tool, celestra-job, the sample environment and a container for production.
  private func withMachine(
    schema: String = "celestra", _ body: (Tool) async throws -> Void
  ) async throws {
    try await withScratchFolder { folder in
      var tool = Tool(directory: folder)
      tool.environment["CELESTRA_ADMIN_CONTAINER"] = "local:\(folder)/container.sqlite"
      let bin = URL(filePath: Tool.path).deletingLastPathComponent().path
      tool.environment["PATH"] = "\(Self.recipes):\(bin):/usr/bin:/bin"
      let made = try await tool.run([
        "container", "init", "--schema", "schema/\(schema).ckdb", "--environment", "production",
      ])
      try #require(made.status == 0, "\(made.err)")
      try await body(tool)
    }
  }

  /// Paths of a real machine, in the folder of the test.
  private func moved(_ text: String, _ tool: Tool) -> String {
    text.replacing("/var/lib/celestra", with: tool.directory)
      .replacing("/etc/celestra/admin.env", with: "\(Self.recipes)/admin.env")
      .replacing("/usr/bin/celestra-admin", with: Tool.path)
  }

  // MARK: celestra-job

  @Test(
    "celestra-job takes 6 for success, runs 5 and 75 again, passes every other status on, and mails only what the last run printed",
    arguments: [
      ([0], 0, 1), ([6], 0, 1), ([5, 0], 0, 2), ([75, 5, 6], 0, 3), ([5, 5, 5, 0], 5, 3), ([3], 3, 1),
      ([1, 0], 1, 1), ([75, 4], 4, 2),
    ] as [([Int], Int32, Int)])
  func job(_ statuses: [Int], _ expected: Int32, _ runs: Int) async throws {
    let script = """
      echo "$@" >> runs
      status=$(head -n 1 statuses); sed -i 1d statuses; echo "$status" >&2
      echo "result $status"; exit "$status"
      """
    try await withProgram(script) { tool in
      let folder = tool.directory
      try statuses.map { "\($0)\n" }.joined().write(
        toFile: "\(folder)/statuses", atomically: true, encoding: .utf8)
      let run = try await tool.shell("celestra-job recount 'two words' -q")
      #expect(run.status == expected, "\(run.err)")
      let last = statuses[runs - 1]
      #expect(run.err == (last == 6 ? "" : "\(last)\n"))
      #expect(run.out == (last == 6 ? "" : "result \(last)\n"))
      let made = try String(contentsOfFile: "\(folder)/runs", encoding: .utf8)
      #expect(made == String(repeating: "recount two words -q\n", count: runs))
    }
  }

  /// A machine on which the tool is a shell script.
  private func withProgram(_ script: String, _ body: (Tool) async throws -> Void) async throws {
    try await withScratchFolder { folder in
      let path = "\(folder)/celestra-admin"
      try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      var tool = Tool(directory: folder)
      tool.environment = ["PATH": "\(folder):\(Self.recipes):/usr/bin:/bin", "JOB_PAUSE": "0"]
      try await body(tool)
    }
  }

  @Test(
    "A signal to celestra-job reaches its run, whose end it waits for, and whose last words it prints",
    arguments: ["", "-q"], ["HUP", "INT", "TERM"])
  func stopped(_ option: String, _ signal: String) async throws {
    let script = """
      trap 'echo stopped; exit 143' TERM
      mkfifo never
      exec 4<>never
      echo > begun
      read -r _ <&4
      """
    try await withProgram(script) { tool in
      // A shell that runs a program in the background makes it ignore SIGINT.
      let run = try await tool.shell(
        """
        mkfifo begun
        env --default-signal=INT celestra-job recount \(option) & job=$!
        read -r _ < begun
        kill -\(signal) $job
        wait $job
        echo $?
        """)
      #expect(run.out == "stopped\n143\n", "\(run.err)")
    }
  }

  @Test("celestra-job says which environment file is missing")
  func missingEnvironment() async throws {
    try await withMachine { tool in
      let run = try await tool.shell("JOB_ENVIRONMENT=missing.env celestra-job status")
      #expect(run.status == 1)
      #expect(run.err == "celestra-job: cannot read missing.env\n")
    }
  }

  // MARK: Schedulers

  @Test(
    "each line of a cron table is run by sh, and prints nothing when all is well",
    arguments: [("celestra", 4), ("live-sessions", 5)])
  func cron(_ name: String, _ count: Int) async throws {
    try await withMachine(schema: name) { tool in
      var tool = tool
      var jobs: [String] = []
      for line in moved(try Self.text("cron/\(name)"), tool).split(separator: "\n") {
        if let variable = line.wholeMatch(of: #/([A-Z_]+)=(.*)/#) {
          if variable.1 != "PATH" { tool.environment[String(variable.1)] = String(variable.2) }
        } else if let job = line.wholeMatch(of: #/[0-9*/-]+ [0-9*/]+ \* \* \* celestra (.*)/#) {
          jobs.append(String(job.1))
        } else {
          #expect(line.hasPrefix("#"), "\(line)")
        }
      }
      #expect(jobs.count == count)
      for job in jobs {
        let run = try await tool.shell(job)
        #expect(run.status == 0, "\(job): \(run.err)")
        #expect(run.out + run.err == "", "\(job)")
      }
      if name == "celestra" { try await showsProduction(tool) }
    }
  }

  @Test(
    "each service's command runs with the sample environment file",
    arguments: ["health", "recount", "purge", "verify"])
  func systemd(_ name: String) async throws {
    try await withMachine { tool in
      let unit = moved(try Self.text("systemd/celestra-\(name).service"), tool)
      let commands = unit.matches(of: #/(?m)^ExecStart=(.*)$/#).map { String($0.1) }
      #expect(commands.count == 1)
      let state = try #require(unit.firstMatch(of: #/CELESTRA_ADMIN_STATE_DIRECTORY=(.*)/#)).1
      let run = try await tool.shell(
        "set -a; . \(Self.recipes)/admin.env; CELESTRA_ADMIN_STATE_DIRECTORY=\(state); set +a; exec \(commands[0])"
      )
      #expect(run.status == 0, "\(run.err)")
      #expect(run.out + run.err == "")
      #expect(FileManager.default.fileExists(atPath: "\(tool.directory)/\(name).prom"))
    }
  }

  @Test("the unit and the cron lines of a mirror make it, with metrics and a copy of the day")
  func mirror() async throws {
    try await withScratchFolder { folder in
      var tool = Tool(directory: folder)
      let bin = URL(filePath: Tool.path).deletingLastPathComponent().path
      tool.environment["PATH"] = "\(Self.recipes):\(bin):/usr/bin:/bin"
      let unit = try Self.text("systemd/celestra-mirror.service")
      let command = try #require(unit.firstMatch(of: #/(?m)^ExecStart=(.*)$/#)).1
      let table = try Self.text("cron/celestra-mirror")
      let lines = table.matches(of: #/(?m)^[0-9]+ [0-9*]+ \* \* \* celestra (.*)$/#).map(\.1)
      #expect(lines.count == 2)
      let script = moved(([command] + lines).joined(separator: "\n"), tool)
        .replacing("/etc/celestra/schema.ckdb", with: "schema/celestra.ckdb").replacing("\\%", with: "%")
      try script.write(toFile: "\(folder)/jobs.sh", atomically: true, encoding: .utf8)
      let run = try await tool.run([
        "emulator", "exec", "--schema", "schema/celestra.ckdb", "--environment", "production", "--", "sh",
        "-e",
        "jobs.sh",
      ])
      #expect(run.status == 0 && run.out == "", "\(run.out)\(run.err)")
      let metrics = try String(contentsOfFile: "\(folder)/mirror.prom", encoding: .utf8)
      #expect(metrics.contains("mirror_as_of_timestamp_seconds") && metrics.contains("mirror_types_behind"))
      let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(files.count { $0.wholeMatch(of: /[A-Z][a-z]{2}\.sqlite/) != nil } == 1, "\(files)")
    }
  }

  @Test("the sample environment has lines that systemd and sh read alike")
  func environmentFile() throws {
    for line in try Self.text("admin.env").split(separator: "\n") where !line.hasPrefix("#") {
      #expect(line.wholeMatch(of: #/[A-Z_]+=[A-Za-z0-9._:/@\-]+/#) != nil, "\(line)")
    }
    // They would take precedence over the units' own.
    #expect(try !Self.text("admin.env").contains("CLOUDKIT_PRIVATE_KEY_PATH="))
    #expect(try !Self.text("admin.env").contains("CELESTRA_ADMIN_STATE_DIRECTORY="))
  }

  @Test("systemd accepts the units")
  func units() async throws {
    try await withMachine { tool in
      let check = """
        command -v systemd-analyze > /dev/null || exit 99
        cp \(Self.recipes)/systemd/* . && sed -i 's,/usr/bin/celestra-admin,/bin/true,' *.service
        systemd-analyze verify ./*.service ./*.timer
        """
      let run = try await tool.shell(check)
      // 99: this machine has no systemd.
      #expect(run.status == 0 || run.status == 99, "\(run.err)")
      #expect(run.err == "")
    }
  }

  @Test("each container of the Kubernetes recipes runs its job")
  func kubernetes() async throws {
    try await withMachine { tool in
      let text = try Self.text("kubernetes/jobs.yaml")
      let commands = text.matches(of: #/(?m)^ +args: (\[.*\])$/#).map { Data($0.1.utf8) }
      #expect(commands.count == 4)
      var tool = tool
      tool.environment["CLOUDKIT_ENVIRONMENT"] = "production"
      for command in commands {
        let words = try JSONDecoder().decode([String].self, from: command)
        for index in words.contains("recount") ? ["0", "3"] : [""] {
          if !index.isEmpty {
            tool.environment["JOB_COMPLETION_INDEX"] = index
            tool.environment["CELESTRA_SHARD_COUNT"] = "4"
          }
          let run = try await tool.shell("celestra-job \(words.joined(separator: " "))")
          #expect(run.status == 0, "\(words): \(run.err)")
        }
        tool.environment["JOB_COMPLETION_INDEX"] = nil
        tool.environment["CELESTRA_SHARD_COUNT"] = nil
      }
    }
  }

  @Test("Lambda's loop runs without HOME, reports a result, and a failure with the end of the log")
  func lambda() async throws {
    try await withMachine { tool in
      try Self.runtime.write(toFile: "\(tool.directory)/runtime.py", atomically: true, encoding: .utf8)
      let run = try await tool.shell(
        """
        python3 runtime.py & runtime=$!
        until test -s port; do kill -0 $runtime || exit 98; sleep 0.1; done
        export CLOUDKIT_ENVIRONMENT=production AWS_LAMBDA_RUNTIME_API=127.0.0.1:$(cat port) TMPDIR=$PWD
        env -u HOME \(Self.recipes)/aws-lambda/bootstrap; status=$?; wait $runtime; exit $status
        """)
      #expect(run.status == 1, "the loop ends when the runtime does: \(run.err)")
      let posts = try String(contentsOfFile: "\(tool.directory)/posts", encoding: .utf8).split(
        separator: "\n")
      try #require(posts.count == 2, "\(posts) \(run.err)")
      #expect(posts[0].hasPrefix("/2018-06-01/runtime/invocation/event-1/response {"))
      #expect(posts[0].contains("\"aggregates\": "))
      #expect(posts[1].hasPrefix("/2018-06-01/runtime/invocation/event-2/error {"))
      #expect(posts[1].contains("exit status 1: "))
      #expect(posts[1].contains("container.sqlite"))
    }
  }

  /// A runtime API with two events; the container is damaged before the second. Bodies are printed as parsed JSON.
  private static let runtime = #"""
    import http.server, json
    class API(http.server.BaseHTTPRequestHandler):
        events = 0
        def do_GET(self):
            API.events += 1
            if API.events == 2:
                open("container.sqlite", "w").write('no "database"\t\\')
            self.send_response(200 if API.events < 3 else 500)
            self.send_header("Lambda-Runtime-Aws-Request-Id", f"event-{API.events}")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with open("posts", "a") as posts:
                posts.write(f"{self.path} {json.dumps(body)}\n")
            self.send_response(202)
            self.send_header("Content-Length", "0")
            self.end_headers()
        def log_message(self, *words):
            pass
    server = http.server.HTTPServer(("127.0.0.1", 0), API)
    open("port", "w").write(str(server.server_port))
    while API.events < 3:
        server.handle_request()
    """#

  /// The jobs reached the container of the sample environment.
  private func showsProduction(_ tool: Tool) async throws {
    let status = try await tool.run(["status", "--environment", "production", "--format", "json"])
    #expect(status.out.contains("lastRun"), "\(status.out)\(status.err)")
  }
}
