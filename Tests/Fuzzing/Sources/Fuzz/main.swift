import CFuzz
import FuzzTargets

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The target that ATSCOPE_FUZZ_TARGET names.
private let target = unsafe getenv("ATSCOPE_FUZZ_TARGET").flatMap { name in
  let name = unsafe String(cString: name)
  return FuzzTarget.all.first { $0.name == name }
}

if target != nil {
  var argc = CommandLine.argc
  var argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
  exit(
    unsafe LLVMFuzzerRunDriver(&argc, &argv) { start, count in
      unsafe target?.run(Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count)))
      return 0
    })
}
for target in FuzzTarget.all { print(target.name) }
