import InputSources
import SessionReading

/// The units of an isolated run: each is read as in a separate run.
///
/// Each input on the command line is a unit, and so is each listed input, except that consecutive listed inputs with the same `unit` form
/// one unit. Only one unit is in memory at a time.
struct InputUnits {
  struct Unit {
    /// The name of the unit in the list; nil if the list contains none.
    var name: String?
    var inputs: [AuditInput]
  }

  /// The entries of the list that could not be used, since this was last emptied.
  var faults: [AuditError] = []

  private var named: ArraySlice<AuditInput>
  private var list: InputList?
  private var ahead: ListedInput?

  init(named: [AuditInput], list: InputList?) {
    self.named = named[...]
    self.list = list
  }

  mutating func next() -> Unit? {
    if let input = named.popFirst() { return Unit(name: nil, inputs: [input]) }
    guard let first = ahead ?? nextListed() else { return nil }
    ahead = nil
    var unit = Unit(name: first.unit, inputs: [first.input])
    while let name = unit.name, let entry = nextListed() {
      guard entry.unit == name else {
        ahead = entry
        break
      }
      unit.inputs.append(entry.input)
    }
    return unit
  }

  private mutating func nextListed() -> ListedInput? {
    while let entry = list?.next() {
      switch entry {
      case .success(let input): return input
      case .failure(let error): faults.append(error)
      }
    }
    return nil
  }
}
