import Testing

@testable import Platform

@Suite struct DescriptorLimitTests {
  @Test("the limit is raised as far as asked or as the system allows, and never reported beyond either")
  func raise() {
    var hard = rlimit()
    #expect(getrlimit(DescriptorLimit.resource, &hard) == 0)
    let before = Int(clamping: hard.rlim_cur)
    let wanted = min(before + 1, Int(clamping: hard.rlim_max))
    #expect(DescriptorLimit.raise(to: wanted) == wanted)
    var after = rlimit()
    #expect(getrlimit(DescriptorLimit.resource, &after) == 0)
    #expect(Int(clamping: after.rlim_cur) == wanted)
    // A smaller wish lowers nothing.
    #expect(DescriptorLimit.raise(to: 10) == 10)
    #expect(getrlimit(DescriptorLimit.resource, &after) == 0 && Int(clamping: after.rlim_cur) == wanted)
  }
}
