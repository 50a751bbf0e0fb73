/// A request to end reading early, and whether it left bytes unread.
package final class Interruption {
  private let isRequested: () -> Bool

  /// Whether it may have left bytes of a file or pipe, other than standard input, unread.
  package internal(set) var mayHaveLeftBytes = false

  /// Creates a request that is active once `isRequested` returns true; it is called before each read.
  package init(_ isRequested: @escaping () -> Bool) { self.isRequested = isRequested }

  package var isPending: Bool { isRequested() }
}
