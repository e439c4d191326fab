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

  @Test("a limit that was lowered is raised again, exactly as far as asked")
  func lowered() {
    var limit = rlimit()
    #expect(getrlimit(FileDescriptorLimit.resource, &limit) == 0)
    let (before, most) = (Int(clamping: limit.rlim_cur), Int(clamping: limit.rlim_max))
    limit.rlim_cur -= 10
    #expect(setrlimit(FileDescriptorLimit.resource, &limit) == 0)
    #expect(FileDescriptorLimit.raise(to: before - 5) == before - 5)
    #expect(
      getrlimit(FileDescriptorLimit.resource, &limit) == 0 && Int(clamping: limit.rlim_cur) == before - 5)
    #expect(FileDescriptorLimit.raise(to: before + 1) == min(before + 1, most))
    #expect(FileDescriptorLimit.raise(to: 0) == 0 && FileDescriptorLimit.raise(to: -5) == 0)
    #expect(FileDescriptorLimit.raise(to: 1) == 1)
  }
}
