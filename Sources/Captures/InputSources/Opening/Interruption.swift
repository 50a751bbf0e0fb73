/// A request to end the reading of inputs before their end, and whether it left bytes unread.
package final class Interruption {
  private let isRequested: () -> Bool

  /// Whether bytes of a file or pipe, other than standard input, may be unread because of it.
  package internal(set) var wasHeeded = false

  /// Creates a request that is made when `isRequested` returns true; it is called before each read.
  package init(_ isRequested: @escaping () -> Bool) { self.isRequested = isRequested }

  package var isPending: Bool { isRequested() }
}
