import CFuzz

/// The parser under test; set once, before libFuzzer starts.
nonisolated(unsafe) private var parser: (Span<UInt8>) -> Void = { _ in }

/// Runs libFuzzer with the arguments of the process; any bytes must come back from `parse`.
public func fuzz(_ parse: @escaping (Span<UInt8>) -> Void) {
  parser = parse
  var argc = CommandLine.argc
  var argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
  _ = LLVMFuzzerRunDriver(&argc, &argv) { start, count in
    parser(Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count)))
    return 0
  }
}
