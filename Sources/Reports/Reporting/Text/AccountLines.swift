package import SessionRecords

/// What a run could not read, for outputs that have no place for it.
package enum AccountLines {
  /// A line for all that was not read and one for the limits that were reached; none where all is well.
  package static func lines(of summary: SummaryRecord) -> [String] {
    let unread = summary.inputs.flatMap(\.health).filter { $0.meaning == .notRead }
    let limits = summary.inputs.flatMap(\.limits) + summary.limits
    return [("not read", unread), ("limits reached", limits)].compactMap { label, counts in
      Wording.counts(counts).map { "\(label): \($0)" }
    }
  }
}
