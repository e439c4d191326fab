import CloudKitModel
import Diagnostics
import Testing
import WebServicesWire

@Suite struct ErrorDictionaryTests {
  @Test("a top-level error is written and read alike")
  func roundTrip() {
    let error = ServerError(
      .throttled, "Database throttled, retry later", retryAfter: .seconds(110_207), uuid: "u",
      redirectURL: "r")
    let json = JSONValue.object(error.errorDictionary)
    #expect(ServerError(errorDictionary: json) == error)
    #expect(
      json.text()
        == #"{"uuid":"u","serverErrorCode":"THROTTLED","reason":"Database throttled, retry later","retryAfter":110207,"redirectURL":"r"}"#
    )
  }

  @Test("a code nobody documented, and extra members, do no harm")
  func unknown() throws {
    let json = try JSONValue(
      parsing:
        #"{"serverErrorCode":"ZONE_BUSY","error_code":429,"messageForDeveloper":"x","redirectUrl":"r"}"#)
    let error = try #require(ServerError(errorDictionary: json))
    #expect(error.code.rawValue == "ZONE_BUSY" && error.reason == "" && error.redirectURL == "r")
  }

  @Test(
    "anything but an error dictionary is not read as one",
    arguments: ["{}", "[]", "null", #"{"serverErrorCode":5}"#])
  func none(text: String) throws {
    #expect(ServerError(errorDictionary: try JSONValue(parsing: text)) == nil)
  }

  @Test(
    "an unbelievable retryAfter is not believed",
    arguments: ["-1", "1e300", "9223372036854775807", #""x""#, "[]"])
  func retryAfter(text: String) throws {
    let json = try JSONValue(parsing: #"{"serverErrorCode":"THROTTLED","retryAfter":\#(text)}"#)
    #expect(ServerError(errorDictionary: json)?.retryAfter == nil)
  }

  @Test(
    "a retryAfter of nothing up to ten years is believed",
    arguments: [("0", 0), (#""0""#, 0), ("1", 1), ("315360000", 315_360_000)] as [(String, Int)])
  func believedRetryAfter(text: String, seconds: Int) throws {
    let json = try JSONValue(parsing: #"{"serverErrorCode":"THROTTLED","retryAfter":\#(text)}"#)
    #expect(ServerError(errorDictionary: json)?.retryAfter == .seconds(seconds))
    let beyond = try JSONValue(parsing: #"{"serverErrorCode":"THROTTLED","retryAfter":315360001}"#)
    #expect(ServerError(errorDictionary: beyond)?.retryAfter == nil)
  }

  @Test("a fraction of a second is kept when read and rounded up when written")
  func fraction() throws {
    let json = try JSONValue(parsing: #"{"serverErrorCode":"THROTTLED","retryAfter":20.5}"#)
    let error = try #require(ServerError(errorDictionary: json))
    #expect(error.retryAfter == .milliseconds(20_500))
    #expect(error.errorDictionary["retryAfter"] == 21)
  }

  @Test("the least part of a second is a second more to wait, and an empty reason is not written")
  func leastFraction() {
    func written(_ seconds: Int64, _ attoseconds: Int64) -> JSONValue? {
      let wait = Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
      return ServerError(.throttled, "", retryAfter: wait).errorDictionary["retryAfter"]
    }
    #expect(written(3, 0) == 3)
    #expect(written(3, 1) == 4)
    #expect(written(0, 999_999_999_999_999_999) == 1)
    #expect(
      JSONValue.object(ServerError(.throttled, "").errorDictionary).text()
        == #"{"serverErrorCode":"THROTTLED"}"#)
  }
}
