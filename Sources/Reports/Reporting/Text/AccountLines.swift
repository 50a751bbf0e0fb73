package import SessionRecords

/// The omissions of a run, for outputs that do not contain them.
package enum AccountLines {
  /// Returns a line for everything that was not read and one for the limits that were reached; none if there are none.
  package static func lines(of summary: SummaryRecord) -> [String] {
    let unread = summary.inputs.flatMap(\.health).filter { $0.meaning == .notRead }
    let limits = summary.inputs.flatMap(\.limits) + summary.limits
    return [("not read", unread), ("limits reached", limits)].compactMap { label, counts in
      Wording.counts(counts).map { "\(label): \($0)" }
    }
  }
}
