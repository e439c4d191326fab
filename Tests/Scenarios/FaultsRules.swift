import Testing

/// Trouble an emulator can make, and how a command may end in it.
struct Trouble: Sendable, CustomTestStringConvertible {
  let name: String
  let rules: [String]

  var testDescription: String { name }
  /// Only what reads several pages can meet it; seeding an empty container does not.
  var needsPages: Bool { name == Trouble.stuckMarker.name }
  var options: [String] { rules.flatMap { ["--fault", $0] } }

  /// Each kind of fault alone. The figures keep failures apart: five in a row rest the client for a minute.
  static let alone = [
    Trouble(name: "503", rules: ["status,status=503,every=4"]),
    Trouble(name: "429 with retryAfter", rules: ["status,status=429,retryAfter=1,every=5,count=2"]),
    Trouble(name: "500 with the service's error", rules: ["status,status=500,every=4"]),
    Trouble(name: "502 with a proxy's page", rules: ["status,status=502,body=<html>,every=4"]),
    Trouble(name: "421", rules: ["misdirected,every=4"]),
    Trouble(name: "reset before", rules: ["reset-before,every=4"]),
    Trouble(name: "reset after", rules: ["reset-after,every=4"]),
    Trouble(name: "every modify's reply lost", rules: ["reset-after,endpoint=records/modify"]),
    Trouble(name: "half a reply", rules: ["half,every=4"]),
    Trouble(name: "slow replies", rules: ["slow,pause=5,every=4"]),
    stuckMarker,
    Trouble(name: "skewed clock for a while", rules: ["clock-skew,seconds=3600,every=5,count=2"]),
    Trouble(name: "skewed clock for good", rules: ["clock-skew,seconds=-3600"]),
    Trouble(name: "clock that jumps back and forth", rules: ["clock-skew,seconds=3600,every=3"]),
  ]

  /// A page that repeats itself cannot be distinguished from an endless one: when a second try ends alike, the service is
  /// taken to be unable to answer for now.
  static let stuckMarker = Trouble(
    name: "stuck marker", rules: ["stuck-marker,endpoint=records/query,after=2,every=3,count=3"])

  static let together = Trouble(
    name: "all together",
    rules: [
      "status,status=503,after=3,every=11", "status,status=429,retryAfter=1,every=13,count=2",
      "status,status=500,after=1,every=17", "status,status=502,body=<html>,every=19",
      "misdirected,every=23", "reset-before,after=2,every=12", "reset-after,after=5,every=14",
      "half,after=7,every=16", "slow,pause=5,every=6",
      "stuck-marker,endpoint=records/query,after=9,count=1", "clock-skew,seconds=3600,after=20,count=1",
    ])
}
