import CloudKitModel
import FeedFetching
import Testing

@Suite("Days and hours of moments") struct TimestampArithmeticTests {
  @Test(
    "the day, hour and weekday of a moment, before 1970 too",
    arguments: [
      (0, 0, 0, 4), (3_599_999, 0, 0, 4), (3_600_000, 0, 1, 4), (86_399_999, 0, 23, 4), (86_400_000, 1, 0, 5),
      (-1, -1, 23, 3), (-86_400_000, -1, 0, 3), (-86_400_001, -2, 23, 2),
      (Timestamp.monday.milliseconds, 20_514, 12, 1),
      (Timestamp.monday.milliseconds - 86_400_000, 20_513, 12, 7),
    ] as [(Int64, Int64, Int, Int)])
  func parts(milliseconds: Int64, day: Int64, hour: Int, weekday: Int) {
    let moment = Timestamp(milliseconds: milliseconds)
    #expect(moment.day == day && moment.hour == hour && moment.weekday == weekday)
  }

  @Test("a duration in seconds keeps its fraction")
  func seconds() {
    #expect(Duration.milliseconds(1500).inSeconds == 1.5 && Duration.milliseconds(-250).inSeconds == -0.25)
  }
}
