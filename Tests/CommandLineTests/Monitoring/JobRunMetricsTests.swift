import Diagnostics
import Foundation
import Testing

@testable import CommandLine

@Suite struct JobRunMetricsTests {
  private static let job = [Metric.Label("command", "health check"), .init("container", "memory:")]

  private func text(
    _ status: Diagnostics.ExitStatus, at seconds: Double, after former: String?, job: [Metric.Label]? = job
  ) -> String {
    let outcome = JobRunOutcome(
      command: "health check", title: "health check", status: status,
      ended: Date(timeIntervalSince1970: seconds), duration: .milliseconds(1500), labels: job)
    return JobRunMetrics(outcome: outcome, version: "9.9").text(after: former)
  }

  private func value(_ family: MetricFamily, in text: String) -> Double? {
    PrometheusText.value(of: Metric(family, Self.job, 0), in: text)
  }

  @Test(
    "a run that did all of its work, with findings or without, moves the time of the last success; no other end does",
    arguments: [
      Diagnostics.ExitStatus.done, .failed, .differences, .findings, .denied, .partial, .usage, .tryLater,
      .interrupted,
      .terminated, Diagnostics.ExitStatus(rawValue: 99),
    ])
  func lastSuccess(_ status: Diagnostics.ExitStatus) throws {
    let first = text(.done, at: 1000, after: nil)
    let second = text(status, at: 2000, after: first)
    let isSuccess = [Diagnostics.ExitStatus.done, .differences, .findings].contains(status)
    #expect(value(JobRunMetrics.lastSuccess, in: second) == (isSuccess ? 2000 : 1000))
    #expect(value(JobRunMetrics.lastCompletion, in: second) == 2000)
    #expect(value(JobRunMetrics.exitCode, in: second) == Double(status.rawValue))
    #expect(value(JobRunMetrics.duration, in: second) == 1.5)
  }

  @Test("a job that never succeeded has no time of a last success")
  func neverSucceeded() {
    let first = text(.failed, at: 1000, after: nil)
    #expect(value(JobRunMetrics.lastSuccess, in: first) == nil)
    #expect(value(JobRunMetrics.lastSuccess, in: text(.failed, at: 2000, after: first)) == nil)
  }

  @Test("the success of another job is not taken for this one's")
  func otherJob() {
    let other = text(.done, at: 1000, after: nil, job: [.init("command", "recount all")])
    #expect(value(JobRunMetrics.lastSuccess, in: text(.failed, at: 2000, after: other)) == nil)
  }

  @Test("a run that did not get to know its container keeps the series of the runs before")
  func unknownContainer() {
    let first = text(.done, at: 1000, after: nil)
    let second = text(.usage, at: 2000, after: first, job: nil)
    #expect(value(JobRunMetrics.lastSuccess, in: second) == 1000)
    #expect(value(JobRunMetrics.exitCode, in: second) == 64)
    let alone = text(.usage, at: 2000, after: nil, job: nil)
    #expect(alone.contains("celestra_admin_run_exit_code{command=\"health check\"} 64\n"))
  }

  @Test("metrics, ping and summary of a run agree on how it ended")
  func agreement() {
    for status in (0...255).map({ Diagnostics.ExitStatus(rawValue: $0) }) {
      let outcome = JobRunOutcome(
        command: "recount name", title: "recount", status: status, ended: Date(), duration: .zero)
      let signal = outcome.end
      let before = text(.done, at: 1000, after: nil)
      let moved = value(JobRunMetrics.lastSuccess, in: text(status, at: 2000, after: before)) == 2000
      // Findings are an alarm, but no reason to call the job late.
      #expect(moved == (signal == .success || status == .findings))
      #expect((signal == nil) == (status == .locked))
      // An aggregate's name is not for the monitoring service.
      #expect(outcome.summary.hasPrefix("recount ended with status \(status.rawValue) "))
    }
  }
}
