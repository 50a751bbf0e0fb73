package import ArchiveReading
import ByteParsing
package import CaptureFormats
import SystemCalls

/// An open input, including the bytes that were read to detect its kind.
package struct OpenedInput {
  /// The kind of its content; for compressed data that was unpacked, of the unpacked content.
  package let kind: InputKind

  /// The compression format; nil if it was not compressed, or is not unpacked.
  package private(set) var compression: CompressionFormat?

  /// All its bytes from the start, unpacked.
  package var source: any ByteSource
}

extension OpenedInput {
  init(detecting source: any ByteSource, named name: String) throws(InputError) {
    var source = source
    var prefix = Bytes()
    do throws(CaptureError) {
      let kind = try OpenedInput.detectKind(of: &source, prefix: &prefix)
      // A ZIP is recognized by its end, if that can be read, since other data may precede it.
      let seekable = (source as? any SeekableSource).flatMap { $0.byteCount == nil ? nil : $0 }
      if let seekable, kind == .archive(.zip) || kind.isUnknown && ArchiveReader.isZIP(seekable) {
        self.kind = .archive(.zip)
        self.source = seekable
        return
      }
      self.kind = kind
      // libarchive skips such frames only after the first other one.
      if kind == .compressed(.lz4) { prefix.removeFirst(InputKind.skippedByteCount(prefix.span)) }
      self.source = PrefixedSource(prefix, before: source)
    } catch {
      if case .readFailed(let code) = error.reason { throw SystemError(code: code).inputError(path: name) }
      throw InputError(.unreadable(error), path: name)
    }
  }

  /// Detects the kind of a source, and unpacks it if it is compressed.
  init(unpacking source: any ByteSource, named name: String) throws(InputError) {
    let outer = try OpenedInput(detecting: source, named: name)
    guard case .compressed(let format) = outer.kind else {
      self = outer
      return
    }
    self = try OpenedInput(detecting: DecompressingSource(outer.source, format: format), named: name)
    compression = format
  }

  /// Reads until the kind is known; `prefix` then contains the bytes read.
  private static func detectKind(of source: inout any ByteSource, prefix: inout Bytes) throws(CaptureError) -> InputKind {
    var buffer = Bytes(repeating: 0, count: 4096)
    var count = 0
    while true {
      if count == buffer.count {
        buffer.append(contentsOf: repeatElement(0, count: buffer.count))
      }
      let read = try source.read(into: &buffer, from: count)
      count += read
      if let kind = InputKind.detect(buffer.span.extracting(first: count), atEnd: read == 0) {
        buffer.removeLast(buffer.count - count)
        prefix = buffer
        return kind
      }
    }
  }
}
