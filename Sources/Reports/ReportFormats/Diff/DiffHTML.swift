package import ByteParsing
import Reporting
import SessionRecords

/// The comparison as an HTML page without scripts.
extension DiffReports {
  /// The maximum number of changes or hosts in a section; browsers display longer tables badly.
  package static let maximumRows = 5000

  package func html() -> Bytes {
    var output = Bytes()
    output += HTMLPage.head(title: "atscope diff: \(headline)", policy: HTMLPage.scriptlessPolicy)
    HTMLPage.heading("atscope diff", headline, to: &output)
    writeSummary(to: &output)
    for section in sections {
      write(section.title, ["Host", "What", "Before", "Now", "Remarks"], section.changes, "further change{s}", to: &output) { change in
        [
          (change.host, "t"), (change.wholeTitle, "v \(section.pageStyle)"), (change.state(change.before), "t"),
          (change.state(change.after), "t"), (remarks(on: change), "t"),
        ]
      }
    }
    for (title, hosts) in lists {
      write(title, ["Host", title == "Vanished hosts" ? "Verdict before" : "Verdict"], hosts, "further host{s}", to: &output) { item in
        [(item.host, "t"), (item.verdict, "t")]
      }
    }
    output.appendRaw(HTMLPage.end)
    return output
  }

  private func writeSummary(to output: inout Bytes) {
    output.appendRaw("<section aria-labelledby=\"h-summary\">\n<h2 id=\"h-summary\">Summary</h2>\n<ul class=\"tiles\">\n")
    let tiles: [(String, String, Int)] = [
      ("fail", "regressions", diff.regressionCount),
      ("unknown", "no longer visible", diff.open(.noLongerVisible).count),
      ("pass", "improvements", diff.open(.improvement).count),
      ("plain", "other changes", diff.open(.moved).count), ("exempt", "accepted", diff.accepted.count),
      ("plain", "new hosts", diff.newHosts.count),
      (diff.countsVanished ? "fail" : "plain", "vanished hosts", diff.vanishedHosts.count),
    ]
    for (style, words, count) in tiles {
      output.appendRaw("<li class=\"\(style)\"><b>\(Wording.grouped(count))</b>\(words)</li>\n")
    }
    output.appendRaw("</ul>\n<dl class=\"facts\">\n")
    for (label, name) in runs.names { writeFact(label, name, to: &output) }
    writeFact("judged as", Wording.policy(of: runs.current), to: &output)
    writeFact("judged with", Wording.basis(of: runs.current, runs.summary).joined(separator: "; "), to: &output)
    for (kind, fault) in runs.faults { writeFact(kind, fault, to: &output) }
    for (label, text) in runs.omissions { writeFact(label, text, to: &output) }
    if let today = runs.today { writeFact("accepted as of", today, to: &output) }
    for note in runs.notes { writeFact("note", note, to: &output) }
    writeFact("hosts on both sides", Wording.grouped(diff.commonHosts), to: &output)
    writeFact("tool", "atscope \(runs.current.toolVersion), policy \(runs.current.policyVersion)", to: &output)
    output.appendRaw("</dl>\n</section>\n")
  }

  /// Writes a fact; the text is escaped for display already.
  private func writeFact(_ label: String, _ text: String, to output: inout Bytes) {
    output.appendRaw("<dt>\(label)</dt><dd class=\"t\">")
    output.appendMarkup(text)
    output.appendRaw("</dd>\n")
  }

  /// Writes a section with a table and the number of items that it leaves out; nothing if there are no items.
  private func write<Item>(
    _ title: String, _ columns: [String], _ items: [Item], _ rest: String, to output: inout Bytes, _ cells: (Item) -> [HTMLPage.Cell]
  ) {
    if items.isEmpty { return }
    let id = "h-" + title.lowercased().replacing(" ", with: "-")
    output.appendRaw("<section aria-labelledby=\"\(id)\">\n<h2 id=\"\(id)\">\(title)</h2>\n")
    HTMLPage.writeTable(title, columns, items.prefix(DiffReports.maximumRows), to: &output, cells)
    let leftOut = items.count - DiffReports.maximumRows
    if leftOut > 0 { output.appendRaw("<p>and \(Wording.count(leftOut, rest))</p>\n") }
    output.appendRaw("</section>\n")
  }
}
