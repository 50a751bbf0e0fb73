public import ByteParsing
public import CaptureFormats

/// The bytes of an open file or pipe.
public final class FileSource: ByteSource {
  private let descriptor: FileDescriptor

  init(_ descriptor: FileDescriptor) {
    self.descriptor = descriptor
  }

  /// Reads what the system has at hand, up to the end of `buffer`.
  public func read(into buffer: inout Bytes, from start: Int) throws(CaptureError) -> Int {
    do throws(SystemError) {
      return try descriptor.read(into: &buffer, from: start)
    } catch {
      // The reader knows how far it had come.
      throw CaptureError(.readFailed(code: error.code), at: 0)
    }
  }
}
