import ByteParsing
import Testing

@testable import HTTPParsing

/// The UTF-8 bytes of text.
func bytes(_ text: String) -> Bytes { Bytes(text.utf8) }

/// Applies a recognizer to text, because macros of Swift Testing do not accept spans.
func recognized(
  _ text: String, _ recognizer: (Span<UInt8>) -> HTTPRecognition
) -> HTTPRecognition {
  recognizer(bytes(text).span)
}

extension RequestHead {
  init(_ text: String) throws { self = try RequestHead(parsing: bytes(text).span) }
}

extension ResponseHead {
  init(_ text: String) throws { self = try ResponseHead(parsing: bytes(text).span) }
}
