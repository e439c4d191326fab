package import Catalog
package import Diagnostics

/// An address that a health check proposes for a feed.
package struct ProposedMove: Sendable, Hashable {
  package var recordName: String
  package var slug: String?
  package var title: String?
  package var from: String
  package var to: String
  /// Why: the code and words of the check's first reason.
  package var reason: String?
  /// See ``MovedFeed/isRedirect(_:to:)``.
  package var isRedirect: Bool
  /// No record has the address.
  package var isFree: Bool
  /// Planning finds the record by the redirect, without its name.
  var findsRecord: Bool { isRedirect && isFree }

  package init(
    recordName: String, slug: String?, title: String?, from: String, to: String, reason: String?,
    isRedirect: Bool, isFree: Bool
  ) {
    self.recordName = recordName
    self.slug = slug
    self.title = title
    self.from = from
    self.to = to
    self.reason = reason
    self.isRedirect = isRedirect
    self.isFree = isFree
  }
}

/// Reviews the addresses that health checks propose, and writes the accepted ones into the seed files.
package struct SeedMoves: Sendable {
  package enum State: String, Sendable, Hashable {
    case proposed, accepted
    /// The seed has another address than the record, from a command or by hand, until the next apply.
    case notApplied = "not-applied"
    /// Another seed has the address.
    case taken
    case notInSeeds = "not-in-seeds"
    /// The catalog does not take such an address.
    case unusable
  }

  package struct Move: Sendable, Hashable {
    package let proposal: ProposedMove
    /// `nil` when no seed has the feed.
    package let slug: String?
    package internal(set) var state: State
    /// Whether the entry got the record's name.
    package internal(set) var isPinned = false
    /// The seed that has the address already.
    package fileprivate(set) var takenBy: String?
    let isOwnerRetired: Bool
    /// The other feeds for which the same address is proposed.
    fileprivate(set) var rivals: [String] = []
    /// What the seed has, if that is neither the record's address nor the proposed one.
    package let otherURL: String?
  }

  /// By slug; those without a seed last.
  package private(set) var moves: [Move]
  /// Whether what is accepted is not written.
  package var isDryRun = false

  package init(_ proposals: [ProposedMove], catalog: SeedCatalog) {
    let names = catalog.feeds.slugs(by: \.recordName)
    let derived = catalog.feeds.slugs(by: \.expectedRecordName)
    let urls = catalog.feeds.slugs { WebAddress.normalized($0.feedURL) }
    let feeds = catalog.feeds.keyed(by: \.slug)
    moves = proposals.compactMap { proposal -> Move? in
      let from = WebAddress.normalized(proposal.from)
      let to = WebAddress.normalized(proposal.to)
      guard from != to else { return nil }
      let owner = urls[to]
      // As planning matches them (Documentation/reference/catalog.md#feed-matching).
      let ownSlug = proposal.slug.flatMap { feeds[$0] }.flatMap { $0.recordName == nil ? $0.slug : nil }
      let slug =
        names[proposal.recordName] ?? ownSlug ?? urls[from] ?? (proposal.findsRecord ? owner : nil)
        ?? derived[proposal.recordName]
      let url = slug.flatMap { feeds[$0] }.map { WebAddress.normalized($0.feedURL) }
      let state: State =
        if slug == nil {
          .notInSeeds
        } else if url != from {
          .notApplied
        } else if let owner, owner != slug {
          .taken
        } else if TitleCleaner.address(proposal.to) == nil {
          .unusable
        } else {
          .proposed
        }
      return Move(
        proposal: proposal, slug: slug, state: state, takenBy: owner == slug ? nil : owner,
        isOwnerRetired: owner.flatMap { feeds[$0] }.map { $0.isRetired || $0.replacedBy != nil } ?? false,
        otherURL: url == from || url == to ? nil : slug.flatMap { feeds[$0]?.feedURL })
    }.sorted { ($0.slug == nil ? 1 : 0, $0.slug ?? "") < ($1.slug == nil ? 1 : 0, $1.slug ?? "") }
    let proposed = Dictionary(grouping: moves.indices.filter { moves[$0].state == .proposed }) {
      WebAddress.normalized(moves[$0].proposal.to)
    }
    for group in proposed.values {
      // Two records of one feed do not compete.
      let slugs = Set(group.compactMap { moves[$0].slug })
      for index in group { moves[index].rivals = slugs.filter { $0 != moves[index].slug }.sorted() }
    }
  }

  /// Writes the addresses of these feeds into the seeds. Throws ``CommandFailure`` for a slug without a usable proposal.
  ///
  /// - Parameter slugs: `nil` accepts every usable proposal of an address for one feed.
  package mutating func accept(_ slugs: [String]?, in seeds: inout SeedWorkspace) throws(CommandFailure) {
    for slug in slugs ?? [] where !moves.contains(where: { $0.slug == slug }) {
      let known = moves.filter { $0.state == .proposed }.compactMap(\.slug)
      throw .unknown("proposed address for the feed", slug, among: known)
    }
    for index in moves.indices {
      let isCertain = moves[index].state == .proposed && moves[index].rivals.isEmpty
      guard let slug = moves[index].slug, slugs?.contains(slug) ?? isCertain else { continue }
      if moves[index].state == .notApplied, moves[index].otherURL == nil { continue }
      let rival = moves[index].rivals.first { slugs?.contains($0) == true }
      guard moves[index].state == .proposed, rival == nil,
        let url = TitleCleaner.address(moves[index].proposal.to)
      else {
        let reason =
          moves[index].otherURL.map { "its seed has another one, \($0)" }
          ?? moves[index].takenBy.map { "the feed '\($0)' has it" }
          ?? rival.map { "the feed '\($0)' would get it, too" } ?? "the catalog does not take it"
        throw CommandFailure(
          "the address for '\(slug)' cannot be accepted: \(reason)", code: "unusable-move",
          hint: moves[index].advice)
      }
      let proposal = moves[index].proposal
      seeds.set("feedURL", of: slug, kind: .feed, to: .string(url))
      // The slug finds the record in each environment. A record without it is found by the redirect or its derived name,
      // else only by a name that holds in this container (Documentation/reference/catalog.md#feed-matching).
      let isFound =
        proposal.slug == slug || proposal.findsRecord
        || CatalogRecordNames.feed(url: url) == proposal.recordName
      if !isFound, !seeds.hasRecordName(feed: slug) {
        seeds.set("recordName", of: slug, kind: .feed, to: .string(proposal.recordName))
        moves[index].isPinned = true
      }
      moves[index].state = .accepted
      for other in moves.indices where moves[index].rivals.contains(moves[other].slug ?? "") {
        moves[other].state = .taken
        moves[other].takenBy = slug
      }
    }
  }

  package var report: PlainReport {
    let json: JSONValue = [
      "moves": moves.map(\.json).json, "accepted": JSONValue(moves.count { $0.state == .accepted }),
      "dryRun": isDryRun.json,
    ]
    return PlainReport(json: json, isConfirmation: moves.isEmpty) {
      if moves.isEmpty { "No health check proposes another address." }
      for move in moves {
        let isPlanned = isDryRun && move.state == .accepted
        let planned = "would be accepted\(move.isPinned ? ", with a \"recordName\"" : "")"
        let reason: [StyledText] = move.proposal.reason.map { ["\($0)"] } ?? []
        let advice: [StyledText] = isPlanned ? [] : ["\(move.advice, .dim)"]
        ListItem(
          "\(move.slug ?? move.proposal.title ?? move.proposal.recordName, .strong)  \(isPlanned ? planned : move.state.rawValue)",
          details: ["\(move.proposal.from)", "→ \(move.proposal.to, .address)"] + reason + advice)
      }
      if isDryRun { "Nothing was written." }
    }
  }
}

extension SeedMoves.Move {
  /// What an editor can do with it.
  var advice: String {
    switch state {
    case .proposed:
      (rivals.isEmpty
        ? "" : "It is proposed for \(rivals.joined(separator: ", ")), too, and only one feed can have it. ")
        + "Accept it with 'celestra-admin seed moves --accept \(slug ?? "")'."
    case .accepted:
      (isPinned
        ? "The entry got a \"recordName\", because this container's record does not have its slug yet. In other containers "
          + "it names no record. " : "") + "Review the files, then run 'celestra-admin seed plan'."
    case .notApplied:
      otherURL.map {
        "The seed has another address, \($0), that is not applied yet: run 'celestra-admin seed plan'."
      } ?? "Accepted, not applied yet: run 'celestra-admin seed plan'."
    case .taken:
      TakenAddressAdvice.text(
        slug ?? "", to: proposal.to, of: takenBy ?? "", isRetired: isOwnerRetired,
        isRedirect: proposal.isRedirect)
    case .notInSeeds:
      takenBy.map { "The feed '\($0)' has the address: 'celestra-admin seed plan' says whose the record is." }
        ?? "Run 'celestra-admin seed pull --only new', or delete the record."
    case .unusable: "Find the feed's address with 'feed find'."
    }
  }

  fileprivate var json: JSONValue {
    .object([
      "recordName": proposal.recordName.json, "from": proposal.from.json, "to": proposal.to.json,
      "state": state.rawValue.json, "slug": slug?.json, "reason": proposal.reason?.json,
      "takenBy": takenBy?.json, "pinned": isPinned ? .bool(true) : nil,
    ])
  }
}
