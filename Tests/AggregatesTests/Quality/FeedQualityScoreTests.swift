import Catalog
import CloudKitModel
import Diagnostics
import FeedState
import Platform
import SchemaLanguage
import Testing

@testable import Aggregates

@Suite("Quality scores") struct FeedQualityScoreTests {
  private static let now = Timestamp(milliseconds: 1_800_000_000_000)

  private func inputs(_ random: inout SeededGenerator) -> QualityScoreInputs {
    var inputs = QualityScoreInputs.unknown
    inputs.state.totalAttempts = Int64.random(in: 0...400, using: &random)
    inputs.state.successfulAttempts = Int64.random(in: 0...inputs.state.totalAttempts, using: &random)
    inputs.subscribers = Int64.random(in: 0...5000, using: &random)
    inputs.isVerified = Bool.random(using: &random)
    inputs.state.validity = random.unit()
    inputs.state.transportQuality = random.unit()
    inputs.state.itemGapVariation = random.unit() * 4
    inputs.state.medianItemGap = .seconds(random.unit() * 1_000_000)
    inputs.state.newestItem = Timestamp(
      milliseconds: Self.now.milliseconds - Int64(random.unit() * 30_000_000_000))
    if Bool.random(using: &random) {
      inputs.state.history = DailyCheckHistory(
        (0..<20).map {
          DailyCheckCounts(
            day: Self.now.milliseconds / 86_400_000 - $0, successes: Int64.random(in: 0...9, using: &random),
            failures: Int64.random(in: 1...9, using: &random))
        })
    }
    return inputs
  }

  private func score(_ inputs: QualityScoreInputs, _ profile: QualityProfile.Name) -> Double {
    FeedQualityScore(inputs, profile: QualityProfile(profile), now: Self.now).score
  }

  @Test(
    "a feed that is down has at most 49, and a healthy one at least 55",
    arguments: QualityProfile.Name.allCases)
  func bounds(_ profile: QualityProfile.Name) {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<200 {
      var inputs = inputs(&random)
      let free = score(inputs, profile)
      inputs.state.status = .degraded
      #expect(score(inputs, profile) == free)
      inputs.state.status = .down
      #expect(score(inputs, profile) == min(free, 49))
      inputs.state.status = .healthy
      #expect(score(inputs, profile) == (profile == .signals ? max(free, 55) : free))
    }
  }

  @Test("every part stays within 0...1 and the score within 0...100", arguments: QualityProfile.Name.allCases)
  func ranges(_ profile: QualityProfile.Name) {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<200 {
      let score = FeedQualityScore(inputs(&random), profile: QualityProfile(profile), now: Self.now)
      #expect(score.parts.allSatisfy { (0...1).contains($0.value) })
      #expect((0...100).contains(score.score))
    }
  }

  @Test("a failure that becomes a success never lowers the score", arguments: QualityProfile.Name.allCases)
  func successes(_ profile: QualityProfile.Name) {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<200 {
      let before = inputs(&random)
      var after = before
      var days = after.state.history.days
      if !days.isEmpty {
        let day = Int.random(in: 0..<days.count, using: &random)
        days[day].successes += 1
        days[day].failures -= 1
        after.state.history = DailyCheckHistory(days)
      }
      if after.state.successfulAttempts < after.state.totalAttempts { after.state.successfulAttempts += 1 }
      #expect(score(after, profile) >= score(before, profile) - 1e-9)
    }
  }

  @Test(
    "more subscribers, a newer item, steadier gaps and better measurements never lower the score",
    arguments: QualityProfile.Name.allCases)
  func monotone(_ profile: QualityProfile.Name) {
    var random = SeededGenerator(seed: 3)
    let improvements: [(inout QualityScoreInputs) -> Void] = [
      { $0.subscribers += 17 }, { $0.isVerified = true },
      { $0.state.itemGapVariation = ($0.state.itemGapVariation ?? 1) / 2 },
      { $0.state.validity = 1 }, { $0.state.transportQuality = 1 },
      { $0.state.newestItem?.milliseconds += 86_400_000 },
    ]
    for _ in 0..<200 {
      let before = inputs(&random)
      for improve in improvements {
        var after = before
        improve(&after)
        #expect(score(after, profile) >= score(before, profile) - 1e-9)
      }
    }
  }

  @Test("a feed never checked has no score", arguments: QualityProfile.Name.allCases)
  func unseen(_ profile: QualityProfile.Name) {
    let score = FeedQualityScore(.unknown, profile: QualityProfile(profile), now: Self.now)
    #expect(score.value(as: .double) == nil && score.value(as: .int64) == nil)
    #expect(score.json.text().contains("\"score\":null"))
  }

  @Test("the normalized documents' weights: everything perfect is 100, and no bonus saturates the rest")
  func celestra() {
    var inputs = QualityScoreInputs.unknown
    (inputs.state.totalAttempts, inputs.state.successfulAttempts) = (1_000_000, 1_000_000)
    (inputs.isVerified, inputs.subscribers, inputs.state.itemGapVariation) = (true, 2155, 0)
    #expect(abs(score(inputs, .celestra) - 100) < 0.01)
    inputs.subscribers = 0
    #expect(abs(score(inputs, .celestra) - 70) < 0.01)
  }

  @Test(
    "scores are written in the field's type and only where they changed",
    arguments: [
      (DataType.double, FieldValue.double(7)), (.int64, .int64(7)),
    ])
  func recount(_ type: DataType, _ stored: FieldValue) async throws {
    var schema = Fixtures.schema
    schema.recordTypes.removeAll { $0.name == "PublicFeed" }
    schema.recordTypes.append(
      RecordType("PublicFeed", fields: [Fixtures.recordID, Field("qualityScore", type)]))
    let container = MemoryContainer()
    var unchecked = Fixtures.feed(2)
    unchecked.fields["qualityScore"] = stored
    container.insert([Fixtures.feed(1), unchecked])
    var metadata = Fixtures.metadata(1)
    metadata.fields["totalAttempts"] = .int64(100)
    metadata.fields["successfulAttempts"] = .int64(100)
    container.insert([metadata, Fixtures.metadata(9)])
    let layout = try #require(FeedRecordMapping.scored(in: schema))
    schema.recordTypes = schema.recordTypes.map { declared in
      guard declared.name == "FeedMetadata" else { return declared }
      var type = declared
      type.fields += [Field("totalAttempts", .int64), Field("successfulAttempts", .int64)]
      return type
    }
    func recount(_ run: String, explains: Bool = false) async throws -> RecountOutcome {
      var options = RecountOptions()
      options.explains = explains
      return try await Recount(
        .quality(layout, QualityProfile(.signals)), schema: schema, container: container, options: options,
        dependencies: Fixtures.environment(at: Self.now.milliseconds, run: run)
      ).run()
    }
    let explained = try await recount("run-0", explains: true)
    #expect(explained.explanations?.map(\.recordName) == ["feed-1", "feed-2"])
    #expect(explained.phase == .planned && container["feed-1"]?["qualityScore"] == nil)
    let outcome = try await recount("run-1")
    #expect(outcome.phase == .done)
    #expect(outcome.result.orphans == 1)
    #expect(container["feed-2"] != nil && container["feed-2"]?["qualityScore"] == nil)
    #expect(try #require(container["feed-1"]?["qualityScore"]?.number) > 60)
    #expect(try await recount("run-2").result.requests.modify == 0)
  }

  // MARK: Formulas

  @Test("the weights are those of the documents")
  func profiles() {
    #expect(
      QualityProfile(.signals).weights == [
        .reliability: 35, .freshness: 15, .cadence: 10, .validity: 10, .completeness: 10, .fullContent: 5,
        .transport: 5, .idHygiene: 5, .popularity: 5,
      ])
    #expect(
      QualityProfile(.celestra).weights == [
        .reliability: 40, .popularity: 30, .consistency: 20, .verification: 10,
      ])
  }
}

/// What a score is computed from.
struct QualityScoreInputs {
  /// Of a feed of which nothing is recorded.
  static var unknown: Self { Self() }

  var state = FeedMetadata(feed: "f")
  var subscribers: Int64 = 0
  var isVerified = false
}

extension FeedQualityScore {
  init(_ inputs: QualityScoreInputs, profile: QualityProfile, now: Timestamp) {
    self.init(
      inputs.state, subscribers: inputs.subscribers, isVerified: inputs.isVerified, profile: profile, now: now
    )
  }
}
