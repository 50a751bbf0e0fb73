import ByteParsing
import FuzzDriver
import QUICParsing

// Any payload is read to its end or to a fault, frame by frame.
fuzz { payload in
  var reader = FrameReader(payload)
  var count = 0
  while let frame = try? reader.next() {
    count += 1
    precondition(count <= payload.count)
    if case .crypto(_, let data) = frame { precondition(data.upperBound <= payload.count) }
  }
}
