/// What one conversation takes of memory, in bytes.
package struct MemoryWeight {
  /// Bytes of facts that were made for it.
  private var madeBytes = 0

  /// All that it takes; 0 before it was first counted.
  package private(set) var bytes = 0

  /// What a conversation takes besides the bytes that it holds and what was made for it.
  package static let ownBytes = 2048

  /// Counts anew, some bytes of facts having been made and others being held now; returns how much that is more than before.
  @inline(__always)
  package mutating func change(made: Int, held: Int) -> Int {
    madeBytes += made
    let before = bytes
    bytes = MemoryWeight.ownBytes + madeBytes + held
    return bytes - before
  }

  /// Creates the weight of a conversation that holds nothing.
  package init() {}
}
