import ByteParsing
import Testing

@testable import HTTPParsing

/// The bytes of text.
func bytes(_ text: String) -> Bytes { Bytes(text.utf8) }

/// Spans do not go through the macros of the testing library; text and bytes do.
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
