import ByteParsing
import QUICParsing

extension FuzzTarget {
  /// Any payload is read to its end or to a fault, frame by frame.
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
