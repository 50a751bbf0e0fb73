import ByteParsing
import HTTPParsing

extension FuzzTarget {
  /// Any bytes either parse or throw; the end of a chunked body does not depend on how it is split.
  static let httpHead = FuzzTarget("HTTPHead") { bytes in
    _ = HTTPRecognition.request(bytes)
    _ = HTTPRecognition.response(bytes)
    _ = HTTPRecognition.http2Preface(bytes)
    if let count = try? MessageHead.byteCount(of: bytes) { precondition(count <= bytes.count) }
    if let head = try? RequestHead(parsing: bytes) {
      let part = try? RequestHead(beginning: bytes)
      precondition(part?.method == head.method && part?.path == head.path)
    }
    _ = try? RequestHead(beginning: bytes)
    if let head = try? ResponseHead(parsing: bytes) { _ = head.bodyFraming(answering: "GET") }

    var whole = ChunkedScanner()
    let taken = whole.consume(bytes)
    var pieces = ChunkedScanner()
    let half = bytes.count / 2
    var sum = pieces.consume(bytes.extracting(first: half))
    if sum == half { sum += pieces.consume(bytes.extracting(droppingFirst: half)) }
    precondition(sum == taken && pieces.status == whole.status)
  }
}
