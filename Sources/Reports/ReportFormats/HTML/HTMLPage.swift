import ATSEvaluation
import ByteParsing
import Crypto
import SessionRecords

enum HTMLPage {
  /// The policy of a page with a script: no requests, and only the page's own script and style, identified by their digests.
  static let securityPolicy =
    "default-src 'none'; script-src 'sha256-\(digest(script))'; style-src 'sha256-\(digest(style))'; "
    + "base-uri 'none'; form-action 'none'"

  /// The policy of a page without a script.
  static let scriptlessPolicy = "default-src 'none'; style-src 'sha256-\(digest(style))'; base-uri 'none'; form-action 'none'"

  /// Returns the page up to its body; the title is escaped for display already.
  static func head(title: String, policy: String) -> Bytes {
    var output = Bytes()
    output.appendRaw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    output.appendRaw("<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">\n")
    output.appendRaw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    output.appendRaw("<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n")
    output.appendRaw("<title>")
    output.appendMarkup(title)
    output.appendRaw("</title>\n<style>\(style)</style>\n</head>\n<body>\n")
    return output
  }

  private static func digest(_ text: String) -> String { Base64.text(of: Bytes(SHA256.hash(data: Array(text.utf8)))) }

  /// Appends the heading of a page: the kind of report and its outcome.
  static func heading(_ kind: String, _ headline: String, to output: inout Bytes) {
    output.appendRaw("<header>\n<p class=\"brand\">\(kind)</p>\n<h1>")
    output.appendMarkup(headline)
    output.appendRaw("</h1>\n</header>\n<main>\n")
  }

  static let end = """
    </main>
    <footer><p>Made offline. This page loads nothing and sends nothing.</p></footer>
    </body>
    </html>

    """

  private static let verdicts = Verdict.allCases.map { "\($0.rawValue.uppercased()): \($0.meaning)." }.joined(separator: " ")

  /// The headings and empty elements that the script fills.
  static let body = """
    <a class="skip" href="#sessions">Go to the sessions</a>
    <header>
    <p class="brand">atscope · App Transport Security</p>
    <h1 id="title"></h1>
    </header>
    <main>
    <noscript><p>This page shows its data with its own script, and scripts are switched off here.</p></noscript>
    <section aria-label="Summary">
    <div id="tiles" class="tiles" role="group" aria-label="Hosts by verdict; press one to show its hosts and sessions alone"></div>
    <dl id="about" class="facts"></dl>
    </section>
    <section id="fixes-section" aria-labelledby="h-fixes" hidden>
    <h2 id="h-fixes">What to do first</h2>
    <ol id="fixes" class="fixes" role="list"></ol>
    </section>
    <section id="charts-section" aria-labelledby="h-charts" hidden>
    <h2 id="h-charts">At a glance</h2>
    <div id="charts" class="charts"></div>
    </section>
    <section id="timeline" aria-labelledby="h-time" hidden>
    <h2 id="h-time">Timeline</h2>
    <p class="hint">Sessions by start time. Arrow keys move; Enter shows only the sessions of that time.</p>
    <div id="bins" class="bins" role="toolbar" aria-label="Sessions by time"></div>
    <p id="span" class="hint span"></p>
    </section>
    <section id="hosts-section" aria-labelledby="h-hosts" hidden>
    <h2 id="h-hosts">Hosts</h2>
    <div id="hosts-table"></div>
    <div id="hosts-pager" class="pager"></div>
    </section>
    <section id="processes-section" aria-labelledby="h-processes" hidden>
    <h2 id="h-processes">Processes</h2>
    <div id="processes-table"></div>
    <div id="processes-pager" class="pager"></div>
    </section>
    <section id="sessions" aria-labelledby="h-sessions" tabindex="-1">
    <h2 id="h-sessions">Sessions</h2>
    <form id="filters" class="filters" role="search" aria-label="Sessions">
    <label>Search <input id="search" type="search" autocomplete="off" spellcheck="false"></label>
    <label id="l-verdict">Verdict <select id="verdict"></select></label>
    <label id="l-rule">Rule <select id="rule"></select></label>
    <label>Order <select id="order"></select></label>
    <button type="button" id="clear">Clear</button>
    </form>
    <p id="count" role="status" aria-live="polite"></p>
    <p class="paper">On paper, failing sessions show their findings in brief. Sessions that are open on the screen are printed in full.</p>
    <div id="list"></div>
    <div id="pager" class="pager"></div>
    </section>
    </main>
    <footer>
    <p>\(verdicts) Scores are from 0 to 100, grades from F to A+.</p>
    <p>Made offline. This page loads nothing and sends nothing.</p>
    </footer>
    """
}
