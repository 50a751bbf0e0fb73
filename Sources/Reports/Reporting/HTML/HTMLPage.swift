import ByteParsing
import Crypto
import SessionRecords

/// What is the same in every page.
enum HTMLPage {
  /// No request of any kind, no script but ours, told by its digest.
  static let securityPolicy =
    "default-src 'none'; script-src 'sha256-\(digest(script))'; style-src 'sha256-\(digest(style))'; "
    + "base-uri 'none'; form-action 'none'"

  /// The same for a page that has no script at all.
  static let plainPolicy =
    "default-src 'none'; style-src 'sha256-\(digest(style))'; base-uri 'none'; form-action 'none'"

  /// The page up to its body. The title has been made safe to show.
  static func head(title: String, policy: String) -> Bytes {
    var output = Bytes()
    output.appendRaw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    output.appendRaw("<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">\n")
    output.appendRaw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    output.appendRaw(
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
    )
    output.appendRaw("<title>")
    output.appendMarkup(title)
    output.appendRaw("</title>\n<style>\(style)</style>\n</head>\n<body>\n")
    return output
  }

  private static func digest(_ text: String) -> String {
    var output = Bytes()
    Base64.append(Bytes(SHA256.hash(data: Array(text.utf8))), to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// The headings and empty places that the script fills.
  static let body = """
    <a class="skip" href="#sessions">Go to the sessions</a>
    <header>
    <h1>atscope</h1>
    <p id="title" class="title"></p>
    </header>
    <main>
    <noscript><p>This page shows its data with a script of its own, and scripts are switched off here.</p></noscript>
    <section aria-labelledby="h-summary">
    <h2 id="h-summary">Summary</h2>
    <div id="tiles" class="tiles" role="group" aria-label="Sessions by verdict; choose one to filter"></div>
    <dl id="about" class="facts"></dl>
    </section>
    <section id="timeline" aria-labelledby="h-time" hidden>
    <h2 id="h-time">Time line</h2>
    <p class="hint">Sessions by when they began. Arrow keys move; Enter shows the sessions of that time alone.</p>
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
    </section>
    <section id="sessions" aria-labelledby="h-sessions" tabindex="-1">
    <h2 id="h-sessions">Sessions</h2>
    <form id="filters" class="filters" role="search">
    <label>Search <input id="search" type="search" autocomplete="off" spellcheck="false"></label>
    <label id="l-verdict">Verdict <select id="verdict"></select></label>
    <label id="l-rule">Rule <select id="rule"></select></label>
    <label>Order <select id="order"></select></label>
    <button type="button" id="clear">Clear</button>
    </form>
    <p id="count" role="status" aria-live="polite"></p>
    <div id="list"></div>
    <div id="pager" class="pager"></div>
    </section>
    </main>
    <footer><p>Made offline. This page asks for nothing and sends nothing.</p></footer>
    """
}
