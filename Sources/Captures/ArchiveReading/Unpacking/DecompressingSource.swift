package import ByteParsing
package import CaptureFormats

/// Unpacks a single compressed stream (gzip, zstd, lz4, xz or bzip2) while it is read.
///
/// It unpacks into the reader's buffer, so a compressed capture takes no more memory than an uncompressed one, except for the window of its
/// compressor.
package final class DecompressingSource: ByteSource {
  private enum Unpacker {
    case own(StreamUnpacker)
    case library(LibArchive)
  }

  private let unpacker: Unpacker
  private var isOpen = false
  private var hasEnded = false
  private var failure: ArchiveError?

  /// Creates a source of the decompressed bytes of `source`, without reading it yet.
  package init(_ source: any ByteSource, format: CompressionFormat, limits: ArchiveLimits = ArchiveLimits()) {
    if let decoder = format.decoder {
      unpacker = .own(StreamUnpacker(source, decoder: decoder, limits: limits))
    } else {
      unpacker = .library(LibArchive(source, format: .singleStream, limits: limits))
    }
  }

  /// Unpacks the next bytes into `buffer`, from index `start` on; returns 0 at the end.
  package func unpack(into buffer: inout Bytes, from start: Int) throws(ArchiveError) -> Int {
    if let failure { throw failure }
    do throws(ArchiveError) {
      switch unpacker {
      case .own(let unpacker): return try unpacker.read(into: &buffer, from: start)
      case .library(let library):
        if !isOpen, try !open(library) { return 0 }
        let count = try library.read(into: &buffer, from: start)
        if count == 0, start < buffer.count, !hasEnded {
          hasEnded = true
          try library.checkNothingFollows()
        }
        return count
      }
    } catch {
      failure = error
      throw error
    }
  }

  /// Reads up to the data; returns false if there is none.
  private func open(_ library: LibArchive) throws(ArchiveError) -> Bool {
    isOpen = true
    let hasData = try library.nextHeader() != nil
    // The library accepts data that is only partly recognized as the format, and then returns it unchanged.
    guard library.isCompressed else { throw ArchiveError(.truncated, at: library.bytesTaken) }
    return hasData
  }

  /// Unpacks the next bytes; the reader knows the offset of an error.
  package func read(into buffer: inout Bytes, from start: Int) throws(CaptureError) -> Int {
    do throws(ArchiveError) {
      return try unpack(into: &buffer, from: start)
    } catch {
      throw error.captureError
    }
  }
}

extension ArchiveError {
  /// The error, as an error of the capture being unpacked.
  package var captureError: CaptureError {
    switch reason {
    case .unreadable(let error): error
    case .truncated: CaptureError(subject == .archive ? .archiveTruncated : .packedDataTruncated, at: 0)
    default: CaptureError(.packedData(description), at: 0)
    }
  }
}
