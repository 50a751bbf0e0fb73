import ByteParsing
import QUICParsing

extension FuzzTarget {
  /// Any payload is read frame by frame, to its end or the first fault.
  static let quicFrames = FuzzTarget("QUICFrames") { payload in
    var reader = FrameReader(payload)
    var count = 0
    while let frame = try? reader.next() {
      count += 1
      precondition(count <= payload.count)
      if case .crypto(_, let data) = frame { precondition(data.upperBound <= payload.count) }
    }
  }
}
