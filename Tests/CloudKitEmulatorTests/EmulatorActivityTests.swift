import Testing

@testable import CloudKitEmulator

@Suite struct EmulatorActivityTests {
  private func record(_ path: String, _ duration: Duration, in activity: EmulatorActivity) {
    activity.record(EmulatorRequest("GET", path), EmulatorReply(status: 200), took: duration)
  }

  @Test(
    "a request is kept with the beginning of its path, without its query, and with its time in milliseconds")
  func entries() {
    let activity = EmulatorActivity(faults: [])
    for (duration, milliseconds) in [
      (Duration.seconds(2), 2000), (.milliseconds(1500), 1500), (.microseconds(1999), 1),
      (.microseconds(2000), 2), (.zero, 0),
    ] {
      record("/a?ckAPIToken=x", duration, in: activity)
      #expect(
        activity.requests.first?.milliseconds == Int64(milliseconds) && activity.requests.first?.path == "/a")
    }
    for count in [999, 1000, 1001] {
      record(String(repeating: "a", count: count), .zero, in: activity)
      #expect(activity.requests.first?.path.utf8.count == min(count, 1000))
    }
  }
}
