import ByteParsing
import CExpat

/// The only type that calls libexpat.
///
/// Expat is written in C: it passes pointers out, and passes this program's pointers back to its callbacks. Each `unsafe` below is sound
/// because the pointers are used only during the callback that provides them, the parser is freed exactly once, and the session outlives
/// the parser.
@safe
final class XMLParser {
  private let parser: XML_Parser
  private let handler: XMLPropertyListReader
  private var error: PropertyListError?

  /// Parses a complete document. External references are never fetched, and declarations are refused.
  static func parse(_ bytes: Bytes, encoding: String?, handler: XMLPropertyListReader) throws(PropertyListError) {
    guard let parser = unsafe XML_ParserCreate(encoding) else {
      throw PropertyListError(.malformed("the XML parser cannot be created"), at: .whole)
    }
    defer { unsafe XML_ParserFree(parser) }
    let session = unsafe XMLParser(parser, handler)
    try session.run(bytes)
  }

  private init(_ parser: XML_Parser, _ handler: XMLPropertyListReader) {
    unsafe self.parser = unsafe parser
    self.handler = handler
  }

  private func run(_ bytes: Bytes) throws(PropertyListError) {
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    unsafe XML_SetElementHandler(
      parser,
      { context, name, _ in
        guard let name = unsafe name else { return }
        unsafe XMLParser.with(context) { session throws(PropertyListError) in
          try session.handler.start(unsafe String(cString: name), line: session.line)
        }
      },
      { context, _ in
        unsafe XMLParser.with(context) { session throws(PropertyListError) in
          try session.handler.end(line: session.line)
        }
      })
    unsafe XML_SetCharacterDataHandler(parser) { context, text, count in
      let text = unsafe UnsafeRawBufferPointer(start: text, count: Int(count))
      unsafe XMLParser.with(context) { session throws(PropertyListError) in
        try session.handler.characters(unsafe text.bindMemory(to: UInt8.self).span, line: session.line)
      }
    }
    unsafe XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, hasInternalSubset in
      if hasInternalSubset != 0 { unsafe XMLParser.refuseEntities(context) }
    }
    unsafe XML_SetEntityDeclHandler(parser) { context, _, _, _, _, _, _, _, _ in
      unsafe XMLParser.refuseEntities(context)
    }
    // If there is an external document type, which is not read, expat does not report an unknown entity as an error.
    unsafe XML_SetSkippedEntityHandler(parser) { context, _, _ in unsafe XMLParser.refuseEntities(context) }

    let count = Int32(clamping: bytes.count)
    let status = unsafe bytes.withUnsafeBytes { buffer in
      unsafe XML_Parse(parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), count, 1)
    }
    if let error { throw error }
    guard status == XML_STATUS_OK else { throw unsafe expatError(XML_GetErrorCode(parser)) }
  }

  /// The line of the current event, from 1.
  private var line: Int { Int(clamping: unsafe XML_GetCurrentLineNumber(parser)) }

  private func expatError(_ code: XML_Error) -> PropertyListError {
    if code == XML_ERROR_UNDEFINED_ENTITY { return PropertyListError(.entity, at: .line(line)) }
    let isTruncated = code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN || code == XML_ERROR_PARTIAL_CHAR
    if isTruncated { return PropertyListError(.truncated, at: .line(line)) }
    let text = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) } ?? "error \(code.rawValue)"
    return PropertyListError(.malformed("XML: \(text)"), at: .line(line))
  }

  private static func refuseEntities(_ context: UnsafeMutableRawPointer?) {
    unsafe with(context) { session throws(PropertyListError) in
      throw PropertyListError(.entity, at: .line(session.line))
    }
  }

  /// Runs the body of a callback for the parser at the pointer; an error stops the parser.
  private static func with(_ context: UnsafeMutableRawPointer?, _ body: (XMLParser) throws(PropertyListError) -> Void) {
    guard let context = unsafe context else { return }
    let session = unsafe Unmanaged<XMLParser>.fromOpaque(context).takeUnretainedValue()
    // Expat may deliver one more event after it was stopped.
    guard session.error == nil else { return }
    do throws(PropertyListError) {
      try body(session)
    } catch {
      session.error = error
      _ = unsafe XML_StopParser(session.parser, 0)
    }
  }
}
