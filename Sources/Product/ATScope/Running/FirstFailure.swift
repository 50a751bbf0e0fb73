import ByteParsing

/// The first error of the closures that take the bytes of one or more results.
final class FirstFailure<Failure: Error> {
  private var failure: Failure?

  /// Returns a closure that passes on bytes, and returns false once `write` has thrown.
  func catching(_ write: @escaping (Bytes) throws(Failure) -> Void) -> (Bytes) -> Bool {
    { bytes in
      do throws(Failure) {
        try write(bytes)
        return true
      } catch {
        self.failure = self.failure ?? error
        return false
      }
    }
  }

  /// Throws the error, if there is one.
  func rethrow() throws(Failure) { if let failure { throw failure } }
}
