import CleartextObservation
import TLSObservation

/// What the conversations of a capture share.
struct ObservationTables {
  /// The facts that handshakes have in common.
  var facts = SharedFacts()

  /// The names that the capture gives to addresses.
  var names = NameTable()
}
