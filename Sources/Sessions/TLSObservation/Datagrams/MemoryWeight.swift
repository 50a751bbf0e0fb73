/// The memory that one conversation takes, in bytes.
package struct MemoryWeight {
  /// The bytes of facts created for it.
  private var madeBytes = 0

  /// The total; 0 until it is first updated.
  package private(set) var bytes = 0

  /// The memory that a conversation takes besides held bytes and facts.
  package static let ownBytes = 2048

  /// Updates the weight. `made` is the number of bytes of facts created since, `held` the bytes held now. Returns the change.
  @inline(__always)
  package mutating func change(made: Int, held: Int) -> Int {
    madeBytes += made
    let before = bytes
    bytes = MemoryWeight.ownBytes + madeBytes + held
    return bytes - before
  }

  package init() {}
}
