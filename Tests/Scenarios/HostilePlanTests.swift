import Foundation
import Testing

private let renderer = "/usr/bin/cmark-gfm"

/// The page that a reviewer reads, made of seeds, file names and a branch that look like markup and commands.
@Suite("The page of a hostile plan", .enabled(if: FileManager.default.isExecutableFile(atPath: renderer)))
struct HostilePlanTests {
  private static let title =
    "@octocat #12 </details><!-- ${{ secrets.X }} `x` [y](http://z) https://evil.example ## Plan\n::add-mask::x"
  private static let file = "$(touch pwned) `touch pwned` @octocat <b>[x](y).json"
  private static let branch = "$(touch${IFS}pwned)`@octocat`;<b>"

  @Test(
    "nothing of it becomes a link, a mention, a heading, a command of the runner or a command of the shell")
  func contained() async throws {
    try await ActionRepository.with { repository in
      let feed = [
        "title": Self.title, "slug": "odd", "feedURL": "https://feeds.example/odd", "subtitle": Self.title,
      ]
      let seeds: [String: Any] = ["category": "news", "feeds": [feed]]
      try JSONSerialization.data(withJSONObject: seeds).write(
        to: URL(filePath: "\(repository.folder)/seeds/feeds/\(Self.file)"))
      try await repository.commit()
      try await repository.withContainer { job in
        let hostile = ["GITHUB_REF_NAME": Self.branch, "GITHUB_HEAD_REF": Self.branch]
        let plan = try await job.plan(hostile.merging(["PREVIEW": "true"]) { $1 })
        #expect(plan.markdown.contains("octocat"))
        #expect(plan.markdown.hasPrefix("## Preview of the plan for `iCloud.demo.celestra` (development)\n"))
        let html = try await job.tool.shell(
          "\(renderer) --unsafe -e table -e autolink -e tagfilter \(plan.folder)/plan.md")
        #expect(html.out.ranges(of: "<h2>").count == 1)
        for markup in ["<a ", "<b>[", "<!--", "<img"] { #expect(!html.out.contains(markup), "\(markup)") }
        let outside = html.out.replacing(/<code>(?s:.*?)<\/code>/, with: "")
        #expect(!outside.contains(/[@#][a-z0-9]|www\.|:\/\//), "\(outside)")
        let apply = try await job.apply(plan, hostile)
        #expect(apply.status == 0, "\(apply.err)")
        for line in (apply.out + apply.err + plan.markdown).split(separator: "\n") {
          #expect(!line.hasPrefix("::"), "\(line)")
        }
        #expect(!FileManager.default.fileExists(atPath: "\(job.folder)/pwned"))
      }
    }
  }
}
