import Testing

@testable import Platform

@Suite(.serialized) struct FileDescriptorLimitTests {
  @Test("the limit is raised as far as asked or as the system allows, and never reported beyond either")
  func raise() {
    var hard = rlimit()
    #expect(getrlimit(FileDescriptorLimit.resource, &hard) == 0)
    let before = Int(clamping: hard.rlim_cur)
    let wanted = min(before + 1, Int(clamping: hard.rlim_max))
    #expect(FileDescriptorLimit.raise(to: wanted) == wanted)
    var after = rlimit()
    #expect(getrlimit(FileDescriptorLimit.resource, &after) == 0)
    #expect(Int(clamping: after.rlim_cur) == wanted)
    // A smaller wish lowers nothing.
    #expect(FileDescriptorLimit.raise(to: 10) == 10)
    #expect(getrlimit(FileDescriptorLimit.resource, &after) == 0 && Int(clamping: after.rlim_cur) == wanted)
  }
}
