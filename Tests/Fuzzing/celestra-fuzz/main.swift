import CLibFuzzer

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// The target is named by the environment, not by an argument: libFuzzer starts copies of this program with
// arguments of its own, and those must find the same target.
let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
guard let target = FuzzTarget(rawValue: name) else {
  print("usage: FUZZ_TARGET=\(FuzzTarget.allCases.map(\.rawValue).joined(separator: "|")) celestra-fuzz ...")
  exit(64)
}

FuzzTarget.chosen = target
var argumentCount = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(
  LLVMFuzzerRunDriver(&argumentCount, &arguments) { data, count in
    FuzzTarget.chosen.run(UnsafeRawBufferPointer(start: data, count: count))
    return 0
  })
