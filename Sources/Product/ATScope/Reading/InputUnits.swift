import InputSources

/// The units of an isolated run: each is read as a separate run would read it.
///
/// Each input that was named is a unit; so is each listed one, and listed ones that follow one another with the same `unit`. One
/// unit is held at a time.
struct InputUnits {
  struct Unit {
    /// The name that the list gives it; nil where it gives none.
    var name: String?
    var inputs: [AuditInput]
  }

  /// Entries of the list that cannot be used, since this was last emptied.
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
