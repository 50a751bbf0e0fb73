package import ByteParsing
package import CaptureFormats

/// Unpacks a single compressed stream (gzip, zstd, lz4, xz or bzip2) as it is read.
///
/// The reader's own buffer is what is filled, so a compressed capture takes no more memory than an uncompressed one but for
/// the window of its compressor.
package final class DecompressingSource: ByteSource {
  private enum Unpacker {
    case own(StreamUnpacker)
    case library(LibArchive)
  }

  private let unpacker: Unpacker
  private var isOpen = false
  private var hasEnded = false
  private var failure: ArchiveError?

  /// Creates a source of the decompressed bytes of a source in this format; nothing is read yet.
  package init(_ source: any ByteSource, format: CompressionFormat, limits: ArchiveLimits = ArchiveLimits()) {
    if let decoder = format.decoder {
      unpacker = .own(StreamUnpacker(source, decoder: decoder, limits: limits))
    } else {
      unpacker = .library(LibArchive(source, format: .singleStream, limits: limits))
    }
  }

  /// Unpacks the next bytes into `buffer`, from index `start` on; 0 at the end.
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

  /// Reads up to the data; false if there are none.
  private func open(_ library: LibArchive) throws(ArchiveError) -> Bool {
    isOpen = true
    let hasData = try library.nextHeader() != nil
    // The library takes too little of a form for something that is not compressed, and hands it on as it is.
    guard library.isCompressed else { throw ArchiveError(.cutOff, at: library.bytesTaken) }
    return hasData
  }

  /// Unpacks the next bytes; the reader knows how far it had come.
  package func read(into buffer: inout Bytes, from start: Int) throws(CaptureError) -> Int {
    do throws(ArchiveError) {
      return try unpack(into: &buffer, from: start)
    } catch {
      throw error.captureError
    }
  }
}

extension ArchiveError {
  /// The error as one of the capture that was being unpacked.
  package var captureError: CaptureError {
    switch reason {
    case .unreadable(let error): error
    case .cutOff: CaptureError(.packedDataCutOff, at: 0)
    default: CaptureError(.packedData(description), at: 0)
    }
  }
}
