import CleartextObservation
import TLSObservation

/// State that the conversations of a capture share.
struct ObservationTables {
  var facts = SharedFacts()

  /// The names that the capture contains for addresses.
  var names = NameTable()
}
