internal import Catalog
internal import CloudKitModel
internal import FeedFetching
internal import FeedState

extension FeedMetadata {
  /// The state after one more observation, without the verdict. A 304 keeps the findings of the last full fetch; a
  /// failure changes the counts only.
  func recording(_ observation: FetchObservation, of url: String) -> FeedMetadata {
    var next = counting(observation)
    next.checkedURL = url
    if feedReference?.recordName != feedRecordName { next.feedReference = Reference(feedRecordName) }
    next.lastHealthCheck = observation.time
    next.httpStatus = observation.httpStatus.map(Int64.init)
    switch observation.outcome {
    case .feed, .notModified: next.recordSuccess(observation)
    case .failed(let reason): next.recordFailure(reason, observation)
    case .inconclusive(let reason):
      if reason.isRefusal { next.recordRefusal(observation) }
      // Not a failure, but recorded. It does not replace the reason of a failing feed.
      guard failureCount == 0 else { break }
      let isSame = lastCheckFailed && lastFailureReason?.hasPrefix(reason.code) == true
      next.lastFailureReason = reason.stored(
        detail: observation.detail, since: isSame ? lastSightingBegan ?? observation.time : observation.time)
    case .refusedHere: break
    }
    // The reasons of this check replace what the document said, which a 304 could then not repeat.
    if !observation.isSuccess, reasons.contains(.httpsAvailable) { next.validators = FeedValidators() }
    next.uptimePercentage = next.uptime(on: observation.time.day)
    return next
  }

  /// The uptime in percent. With refusals in the same days it needs 5 judged checks, because what is left may be a
  /// single one.
  func uptime(on day: Int64) -> Double? {
    let isPartial = refusals.totals(until: day).checks > 0
    guard !isPartial || history.totals(until: day).checks >= Self.checksForPartialUptime else { return nil }
    return history.uptimePercentage(until: day)
  }

  private static let checksForPartialUptime = 5
  /// Days of refusals that are kept: more than the 30 that are counted, so that a refusal 30 days ago is still known.
  private static let keptRefusalDays: Int64 = 45

  private mutating func recordRefusal(_ observation: FetchObservation) {
    refusals.add(success: false, on: observation.time.day, keeping: Self.keptRefusalDays)
    failureBegan = failureBegan ?? observation.time
  }

  /// The state with one more check in its counts, which is all that an observation changes if a later one has overtaken
  /// it.
  func counting(_ observation: FetchObservation) -> FeedMetadata {
    guard observation.isSuccess || observation.failure != nil else { return self }
    var next = self
    next.totalAttempts += 1
    next.successfulAttempts += observation.isSuccess ? 1 : 0
    next.history.add(success: observation.isSuccess, on: observation.time.day)
    next.uptimePercentage = next.uptime(on: observation.time.day)
    return next
  }

  private mutating func recordSuccess(_ observation: FetchObservation) {
    failureCount = 0
    failureBegan = nil
    lastFetchSuccess = observation.time
    recordRedirect(observation.movedTo ?? (observation.outcome == .notModified ? announcedAddress : nil))
    if let transport = observation.transport {
      transportQuality = transportScore(
        after: transport, isModified: observation.outcome == .feed,
        wasConditional: observation.isConditional)
      // A 304 with others is about a document that was not read (Documentation/reference/feeds.md#conditional-requests).
      if observation.outcome == .feed { (etag, lastModified) = (transport.etag, transport.lastModified) }
      validatorsURL = validators.isEmpty ? nil : observation.redirectedTo
      recordRefusalOfValidators(observation)
    }
    if let content = observation.content {
      let isCut = observation.flaws.contains(.tooLarge) || observation.flaws.contains(.truncated)
      let before = self
      recordContent(content, isWhole: !isCut || StoredFeedValidity(score: content.validity).isWellFormed)
      schedule = observation.schedule.flatMap { $0 == PublisherSchedule() ? nil : $0 }
      if !observation.isComplete { keepItems(of: before, beside: content) }
    } else if averageArticlesPerWeek != nil, let newestItem,
      observation.time.since(newestItem) > PublishingRhythm.window
    {
      // A document that has not changed keeps its facts, but a rate of the last days ends with them.
      averageArticlesPerWeek = PublishingRhythm.perWeek(
        silentSince: newestItem, medianGap: medianItemGap, now: observation.time)
    }
    // A 304 repeats only what the fields hold. Flaws are not among them, and neither is the end of a document that was
    // cut, so such a feed is fetched whole each time.
    if !observation.flaws.isEmpty || !observation.isComplete { validators = FeedValidators() }
  }

  private mutating func recordFailure(_ reason: HealthReason, _ observation: FetchObservation) {
    let since = failingReason?.kind == reason.kind ? failingSince ?? observation.time : observation.time
    failureCount += 1
    lastFetchFailure = observation.time
    failureBegan = failureBegan ?? observation.time
    lastFailureReason = reason.stored(
      detail: observation.detail ?? observation.httpStatus.map { "\($0)" }, since: since)
  }

  /// The new address that the last document named, and not a redirect on the way to it.
  private var announcedAddress: String? { redirectURL == validatorsURL ? nil : redirectURL }

  private mutating func recordRedirect(_ target: String?) {
    redirectCount = target == nil ? 0 : target == redirectURL ? redirectCount + 1 : 1
    redirectURL = target
  }

  /// The first refusal sets a time that is past at the next check, so that a second one is recognized as such. A server
  /// that answers a request with validators well ends the doubt.
  private mutating func recordRefusalOfValidators(_ observation: FetchObservation) {
    if observation.mayRefuseValidators { return }
    if observation.followsRefusedValidators {
      let isFirst = validatorsRefused == nil
      validatorsRefused = isFirst ? observation.time : observation.time + Self.pauseOfValidators
    } else if observation.isConditional {
      validatorsRefused = nil
    }
  }

  private static let pauseOfValidators = Duration.seconds(30 * 86_400)

  /// Takes back what a document without its end cannot know: that there is no newer item, and no item at all.
  private mutating func keepItems(of before: FeedMetadata, beside content: FeedContent) {
    schedule = schedule ?? before.schedule
    newestItem = [before.newestItem, newestItem].compactMap(\.self).max()
    guard content.itemCount == 0 else { return }
    completeness = before.completeness ?? completeness
    fullContent = before.fullContent
    idHygiene = before.idHygiene
    medianItemGap = before.medianItemGap
    itemGapVariation = before.itemGapVariation
    averageArticlesPerWeek = before.averageArticlesPerWeek
  }

  /// - Parameter isWhole: false when the document is longer than what was read: its end is then not its author's.
  private mutating func recordContent(_ content: FeedContent, isWhole: Bool) {
    if isWhole { validity = content.validity }
    completeness = content.completeness
    fullContent = content.fullContent
    idHygiene = content.idHygiene
    newestItem = content.rhythm.newest
    medianItemGap = content.rhythm.medianGap.map { .seconds($0.components.seconds) }
    itemGapVariation = content.rhythm.gapVariation
    averageArticlesPerWeek = content.rhythm.articlesPerWeek
  }
}

extension HealthReason {
  /// The text for `lastFailureReason`. It begins with the code and ends with the first such failure, so that both can
  /// be read back.
  fileprivate func stored(detail: String?, since: Timestamp) -> String {
    "\(code) \(explanation)" + (detail.map { " (\($0.prefix(200)))" } ?? "") + Self.sinceMark + since.iso8601
  }
}

extension FeedMetadata {
  /// A score for how well a feed is served, in 0...1: four parts of a quarter each. This is the state before the answer, with
  /// its validators.
  ///
  /// - Parameter isModified: true for a whole document, false for a 304.
  func transportScore(
    after facts: TransportDetails, isModified: Bool, wasConditional: Bool
  ) -> Double {
    let https = facts.isHTTPS ? 1.0 : 0
    if isModified {
      let compression = facts.isCompressed ? 1.0 : 0
      let validator = facts.hasValidator ? 1.0 : 0
      return (https + validator + compression + honors(facts, wasConditional)) / 4
    }
    // A 304 has no body, so the compression part is derived from the score of the last full fetch.
    let known = transportQuality.map { $0 * 4 }
    let compression = (known ?? 0) - https - 1 > 1 ? 1.0 : 0
    return (https + 1 + compression + 1) / 4
  }

  /// 0 when the server sent a whole document although the validator matched; 0.5 when that is unknown.
  private func honors(_ facts: TransportDetails, _ wasConditional: Bool) -> Double {
    guard facts.hasValidator else { return 0 }
    guard wasConditional else { return 0.5 }
    let isSame = facts.etag.map { $0 == etag } ?? facts.lastModified.map { $0 == lastModified } ?? false
    return isSame ? 0 : 0.5
  }
}
