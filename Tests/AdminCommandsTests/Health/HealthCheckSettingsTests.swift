import Diagnostics
import FeedFetching
import FeedHealth
import FeedState
import Foundation
import Testing

@testable import AdminCommands
@testable import CommandLine

@Suite struct HealthCheckSettingsTests {
  private func options(_ file: String, _ environment: [String: String] = [:]) async throws -> HealthOptions {
    let test = try TestProcess()
    try test.write(file, to: "celestra-admin.json")
    let settings = try Settings.load(
      of: AdminTool.tool, common: SharedOptionValues(), process: test.process(environment))
    return try HealthOptions(settings)
  }

  @Test("thresholds and politeness come from the project file")
  func file() async throws {
    let options = try await options(
      """
      {"health": {"failuresUntilDown": 5, "hostFailureUntilDown": "2d", "successRate": 0.5, "checksForRate": 9,
        "staleAge": "90d", "staleGaps": 7, "slowAnswer": "3s", "redirectSightings": 4, "outageShare": 0.7,
        "outageSample": 10, "obeyRobots": true, "hostDelay": "2s", "interval": "30m", "longestInterval": "12h",
        "outageHosts": 6, "contentUntilDown": "2h", "maxRedirects": 3, "maxFeedBytes": 1000}}
      """)
    var thresholds = HealthThresholds()
    thresholds.failuresUntilDown = 5
    thresholds.hostFailureUntilDown = .seconds(2 * 86_400)
    thresholds.successRate = 0.5
    thresholds.checksForRate = 9
    thresholds.staleAge = .seconds(90 * 86_400)
    thresholds.staleGaps = 7
    thresholds.slowAnswer = .seconds(3)
    thresholds.redirectSightings = 4
    thresholds.outageShare = 0.7
    thresholds.outageSample = 10
    thresholds.outageHosts = 6
    thresholds.contentUntilDown = .seconds(7200)
    #expect(options.thresholds == thresholds)
    var policy = FetchPolicy()
    policy.obeysRobots = true
    policy.hostDelay = .seconds(2)
    policy.interval = .seconds(1800)
    policy.maxInterval = .seconds(12 * 3600)
    policy.maxRedirects = 3
    policy.maxBodyBytes = 1000
    #expect(options.policy == policy)
  }

  @Test(
    "a value that a setting does not take is a usage error that names it",
    arguments: [
      ("failuresUntilDown", "0"), ("failuresUntilDown", "\"many\""), ("successRate", "80"),
      ("staleAge", "\"a month\""), ("slowAnswer", "-1"), ("obeyRobots", "\"perhaps\""),
    ])
  func refused(name: String, value: String) async throws {
    let failure = await #expect(throws: CommandFailure.self) {
      try await options(#"{"health": {"\#(name)": \#(value)}}"#)
    }
    #expect(failure?.status == .usage)
    #expect(failure?.message.contains("health.\(name)") == true)
  }
}
