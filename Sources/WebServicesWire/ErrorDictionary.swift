package import CloudKitModel
package import Diagnostics

/// The error dictionary of a whole request or of one entry in it
/// (Documentation/reference/web-services.md#error-dictionary).
extension ServerError {
  /// Reads one; `nil` when the object is not an error.
  ///
  /// `retryAfter` is taken as a number of seconds in any spelling; what is negative or beyond ten years is not
  /// believed. JavaScript clients also know `redirectUrl`, so it is read as well. The reason loses user record names here,
  /// because it is printed in many places.
  package init?(errorDictionary json: JSONValue) {
    guard let code = json["serverErrorCode"]?.string else { return nil }
    self.init(
      Code(rawValue: code), json["reason"]?.string?.withoutUserRecordNames ?? "",
      retryAfter: json["retryAfter"]?.waitingTime,
      uuid: json["uuid"]?.string, redirectURL: (json["redirectURL"] ?? json["redirectUrl"])?.string)
  }

  /// The members of the dictionary, in the order the service writes them. An error without a reason has no such member.
  package var errorDictionary: JSONObject {
    [
      "uuid": uuid?.json, "serverErrorCode": code.rawValue.json, "reason": reason.isEmpty ? nil : reason.json,
      "retryAfter": retryAfter?.wholeSeconds.json, "redirectURL": redirectURL?.json,
    ]
  }

  /// The dictionary in the place of one entry, named by `recordName`, `zoneID` or `subscriptionID`.
  package func errorDictionary(for key: String, _ name: JSONValue?) -> JSONValue {
    let object: JSONObject = [key: name]
    return .object(JSONObject(object.members + errorDictionary.members))
  }
}

/// How an emulator of this project names itself in the `Server` header of each reply, so that a client can explain its
/// refusals.
package enum EmulatorServerName {
  package static let text = "celestra-admin emulator"
  /// The path at which an emulator states the id of the local container that it serves, under ``containerKey``. All
  /// emulators may serve one container id, and a port says nothing of the next start.
  package static let containerPath = "/emulator/container"
  package static let containerKey = "id"
}

extension JSONValue {
  var waitingTime: Duration? {
    guard let seconds = number ?? string.flatMap(Double.init), seconds >= 0, seconds <= 315_360_000 else {
      return nil
    }
    return .milliseconds(Int64(seconds * 1000))
  }
}

extension Duration {
  /// Rounded up, so that waiting for it is never too short.
  var wholeSeconds: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }
}
