import ATSEvaluation
import ATSRules
import ExceptionPlanning
import PolicyResolution
import SessionModel
import TLSParsing
import Testing
import Values

@Suite struct ExceptionPlanTests {
  @Test func `entries and keys that no session needs are reported as unneeded`() {
    var present = ATSDictionary(allowsArbitraryLoads: true)
    present.exceptionDomains = [
      ExceptionEntry(key: "example.com"), ExceptionEntry(key: "unseen.example"),
      ExceptionEntry(key: "strict.example", settings: ExceptionSettings(minimumTLSVersion: "TLSv1.3")), ExceptionEntry(key: "Example.com"),
      ExceptionEntry(key: "*.example.com", settings: ExceptionSettings(requiresForwardSecrecy: false)),
    ]
    let plan = Engine().plan([Sessions.tls("example.com")], present: present)
    #expect(plan.dictionary.exceptionDomains.map(\.key) == ["strict.example"])
    #expect(plan.unneeded.map(\.entry) == [nil, "*.example.com", "example.com", "unseen.example", "Example.com"])
    #expect(plan.unneeded.map(\.key) == ["NSAllowsArbitraryLoads", nil, nil, nil, nil])
    #expect(plan.unneeded[3].reason == "no session was with one of its hosts")
    #expect(plan.unneeded[1].reason == "an asterisk has no meaning here, so the entry never matches")
    #expect(plan.unneeded[4].reason == "hosts are compared in lower case, so the entry never matches")
  }

  @Test func `each session of a capture is judged in its own context`() {
    let engine = Engine()
    var samples = SessionSamples()
    for (host, context) in [("a.example", LoadContext.web), ("b.example", .app), ("c.example", .media)] {
      var own = engine
      own.context = context
      let session = Sessions.cleartext(host)
      samples.add(session, Shared(own.content(session, nil)), asOf: 0)
    }
    let present = ATSDictionary(
      allowsArbitraryLoadsForMedia: true, allowsArbitraryLoadsInWebContent: true)
    var asked: [String: Set<LoadContext>] = [:]
    let plan = ExceptionPlanner.plan(for: samples, present: present, release: engine.release) {
      sample, dictionary, context in
      asked[sample.session.serverName ?? "", default: []].insert(context)
      return engine.content(sample.session, dictionary, context)
    }
    #expect(asked == ["a.example": [.web], "b.example": [.app], "c.example": [.media]])
    #expect(plan.counts.byKeys == 3)
    // Without a name, only the key for the context helps.
    var nameless = SessionSamples()
    let session = Sessions.cleartext(nil)
    var web = engine
    web.context = .web
    nameless.add(session, Shared(web.content(session, nil)), asOf: 0)
    let global = ExceptionPlanner.plan(for: nameless, present: nil, release: engine.release) {
      engine.content($0.session, $1, $2)
    }
    #expect(global.dictionary == ATSDictionary(allowsArbitraryLoadsInWebContent: true))
  }

  @Test func `sessions that meet the requirements need no keys`() {
    let plan = Engine().plan([
      Sessions.tls("example.com"), Sessions.tls("example.com", version: 0x0304, suite: 0x1301),
    ])
    #expect(plan.dictionary == ATSDictionary())
    #expect(plan.keys.isEmpty)
    // Their certificates are not observed, and each session counts once.
    #expect(plan.counts.withoutKeys == 0)
    #expect(plan.counts.undecided == 2)
    #expect(plan.undecidedHosts == ["example.com"])
    let decided = Engine(passesUnseenCertificates: true).plan([Sessions.tls("example.com")])
    #expect(decided.counts.withoutKeys == 1)
    #expect(decided.counts.undecided == 0)
  }

  @Test(
    arguments: [
      (0x0303, 0x009C, ExceptionSettings(requiresForwardSecrecy: false)),
      (0x0302, 0xC013, ExceptionSettings(minimumTLSVersion: "TLSv1.1")),
      (0x0301, 0xC013, ExceptionSettings(minimumTLSVersion: "TLSv1.0")),
      (0x0302, 0x002F, ExceptionSettings(minimumTLSVersion: "TLSv1.1", requiresForwardSecrecy: false)),
      (0x0301, 0x002F, ExceptionSettings(minimumTLSVersion: "TLSv1.0", requiresForwardSecrecy: false)),
      (0x0303, 0x000A, ExceptionSettings(allowsInsecureHTTPLoads: true, requiresForwardSecrecy: false)),
    ] as [(UInt16, UInt16, ExceptionSettings)])
  func `a session gets the narrowest entry that allows it`(
    version: UInt16, suite: UInt16, settings: ExceptionSettings
  ) {
    let plan = Engine().plan([Sessions.tls("example.com", version: version, suite: suite)])
    #expect(plan.dictionary == entry("example.com", settings))
    #expect(plan.counts.undecided == 1)
  }

  @Test func `the sessions of a host share one entry, and each key counts its sessions`() {
    let plan = Engine().plan([
      Sessions.tls("example.com", version: 0x0302, suite: 0xC013, frame: 3),
      Sessions.cleartext("example.com", frame: 5),
      Sessions.tls("example.com", version: 0x0301, suite: 0xC013, frame: 7),
    ])
    #expect(
      plan.dictionary
        == entry(
          "example.com", ExceptionSettings(allowsInsecureHTTPLoads: true, minimumTLSVersion: "TLSv1.0")))
    #expect(plan.keys.map(\.key) == ["NSExceptionAllowsInsecureHTTPLoads", "NSExceptionMinimumTLSVersion"])
    #expect(plan.keys.map(\.sessions) == [1, 2])
    #expect(plan.keys.map(\.rules) == [["ATS-HTTPS"], ["ATS-TLS-VERSION"]])
    #expect(plan.keys.map { $0.example?.firstFrame } == [5, 3])
    #expect(plan.keys.allSatisfy { $0.needsJustification })
  }

  @Test func `a session with a lost request is undecided if an entry of the plan may be for it`() {
    var lossy = Sessions.cleartext("a.example")
    lossy.evidence.add(.httpRequestLost)
    let engine = Engine(context: .web)
    let sessions =
      (1...5).map { Sessions.cleartext("h\($0).example", frame: $0) } + [
        lossy, Sessions.tls("b.example", version: 0x0301, suite: 0xC013),
      ]
    let plan = engine.plan(sessions)
    #expect(plan.counts.undecided == sessions.count { engine.content($0, plan.dictionary).verdict == .unknown })
    #expect(engine.content(lossy, plan.dictionary).verdict == .unknown)
  }

  @Test func `a session that no key allows gets no key`() {
    let plan = Engine().plan([
      Sessions.tls("example.com", version: 0x0300, suite: 0x002F), Sessions.tls("example.com", suite: 0x0005),
    ])
    #expect(plan.dictionary == ATSDictionary())
    #expect(plan.impossible.count == 2)
    #expect(
      plan.impossible.allSatisfy { $0.reason.hasPrefix("no key of NSAppTransportSecurity allows this") })
    #expect(plan.counts.impossible == 2)
    #expect(plan.impossible.allSatisfy { !$0.needsBroaderKey })
    let unnamed = Engine().plan([Sessions.cleartext(nil)]).impossible
    let reasons = unnamed.map { item in String(item.reason.prefix { $0 != ":" }) }
    let unnamedWay = "the request does not name the host, which an entry has to name; without an entry"
    #expect(reasons == ["\(unnamedWay), only NSAllowsArbitraryLoads, for all hosts, allows this"])
    #expect(unnamed.allSatisfy { $0.needsBroaderKey })
  }

  @Test func `cleartext of a host that no entry can name is explained with a key that helps`() {
    let cancels = "NSAllowsArbitraryLoads, for all hosts, allows this, after you remove NSAllowsLocalNetworking, which cancels it"
    var parent = ATSDictionary(exceptionDomains: [ExceptionEntry(key: "example.com", includesSubdomains: true)])
    let decides = "NSExceptionAllowsInsecureHTTPLoads in the entry example.com, for all of its hosts, allows this"
    let narrower = "NSExceptionAllowsInsecureHTTPLoads in an entry example.net with NSIncludesSubdomains, for all of its hosts, allows this"
    for (host, present, key) in [
      (nil, nil, "NSAllowsArbitraryLoads, for all hosts, allows this"),
      (nil, ATSDictionary(allowsArbitraryLoads: true, allowsLocalNetworking: true), cancels),
      (nil, ATSDictionary(allowsLocalNetworking: true), cancels), ("*.example.net", nil, narrower), ("*.example.com", parent, decides),
    ] as [(String?, ATSDictionary?, String)] {
      guard case .impossible(let obstacle)? = Engine().content(Sessions.cleartext(host), present).narrowestException,
        let way = obstacle.broaderWay
      else {
        Issue.record("\(host ?? "no host") has an exception, or none helps")
        continue
      }
      let why =
        host == nil
        ? "the request does not name the host, which an entry has to name; without an entry, only"
        : "no entry of NSExceptionDomains can name the host; only"
      #expect(way == "\(why) \(key)")
      #expect(obstacle.reason.hasPrefix("\(way): HTTP without TLS"))
    }
    parent.exceptionDomains[0].settings.allowsInsecureHTTPLoads = true
    #expect(Engine().content(Sessions.cleartext("*.example.com"), parent).verdict == .exempt)
    let plan = Engine().plan([Sessions.cleartext("*.example.com")], present: parent)
    #expect(plan.impossible.map(\.needsBroaderKey) == [true] && plan.unneeded.isEmpty)
  }

  @Test func `an entry for a host of a built-in entry has the keys that its sessions need`() {
    let plan = Engine().plan([
      Sessions.cleartext("www.apple.com"), Sessions.tls("www.apple.com", version: 0x0301, suite: 0x002F),
    ])
    let settings = ExceptionSettings(
      allowsInsecureHTTPLoads: true, minimumTLSVersion: "TLSv1.0", requiresForwardSecrecy: false)
    #expect(plan.dictionary == entry("www.apple.com", settings))
    let exception = Engine().content(Sessions.tls("www.apple.com", version: 0x0302), nil).narrowestException
    #expect(exception == .entry(host: "www.apple.com", keys: ["NSExceptionMinimumTLSVersion": .string("TLSv1.1")]))
  }

  @Test func `an entry for a host whose cleartext was allowed allows it, even if the host passes over HTTPS`() {
    let host = "setup.icloud.com"
    let cleartext = Sessions.cleartext(host)
    let engine = Engine(passesUnseenCertificates: true)
    let plan = engine.plan([cleartext, Sessions.tls(host), Sessions.tls(host, version: 0x0302, suite: 0xC013)])
    #expect(
      plan.dictionary == entry(host, ExceptionSettings(allowsInsecureHTTPLoads: true, minimumTLSVersion: "TLSv1.1")))
    #expect(engine.content(cleartext, plan.dictionary).verdict != .fail)
    #expect(plan.upgradable.isEmpty)
    // Without another need, the host has no entry.
    #expect(engine.plan([cleartext, Sessions.tls(host)]).dictionary == ATSDictionary())
  }

  @Test func `local hosts need NSAllowsLocalNetworking = NO removed, and no entry`() {
    let present = ATSDictionary(allowsLocalNetworking: false)
    let plan = Engine().plan(
      [Sessions.cleartext("nas"), Sessions.cleartext("printer.local")], present: present)
    #expect(plan.dictionary == ATSDictionary())
    #expect(plan.abandoned.map(\.key) == ["NSAllowsLocalNetworking"])
    let kept = Engine().plan([Sessions.tls("nas")], present: present)
    #expect(kept.dictionary == present)
  }

  @Test(arguments: [(0x0300, 0xC02F), (0x0303, 0x0005), (0x0303, 0x0039)] as [(UInt16, UInt16)])
  func `a session that the system rejects without ATS too removes no key and gets none`(
    version: UInt16, suite: UInt16
  ) {
    let session = Sessions.tls("nas", version: version, suite: suite)
    let local = ATSDictionary(allowsLocalNetworking: false)
    for present in [local, entry("nas", ExceptionSettings())] {
      let plan = Engine().plan([session], present: present)
      #expect(plan.dictionary == present)
      #expect(plan.counts.impossible == 1)
      #expect(plan.abandoned.isEmpty)
      #expect(Engine().content(session, present).isImpossible)
    }
    var byAddress = Sessions.tls(nil, version: version, suite: suite)
    byAddress.serverNameSource = .address
    byAddress.serverName = "203.0.113.7"
    let old = Engine(os: "ios9").plan([byAddress])
    #expect(old.dictionary == ATSDictionary())
    #expect(old.counts.impossible == 1)
    #expect(Engine(os: "ios9").content(byAddress, nil).isImpossible)
  }

  @Test(
    arguments: [
      (40, ["NSExceptionRequiresForwardSecrecy = NO"]),
      (70, ["NSExceptionMinimumTLSVersion = TLSv1.1", "NSExceptionMinimumTLSVersion = TLSv1.0"]),
    ] as [(UInt8, [String])])
  func `keys that make a device offer more than the refused client did are reported as options`(
    alert: UInt8, options: [String]
  ) throws {
    let refused = Sessions.refused("legacy.example.com", alert: alert)
    let content = Engine().content(refused, nil)
    #expect(content.verdict == .fail)
    #expect(content.isImpossible)
    let plan = Engine().plan([refused])
    #expect(plan.dictionary == ATSDictionary())
    #expect(plan.keys.isEmpty)
    #expect(plan.counts.mayHelp == 1)
    #expect(plan.counts.impossible + plan.counts.byKeys + plan.counts.withoutKeys == 0)
    let item = try #require(plan.mayHelp.first)
    let settings = item.options.map { option in
      option.settings.map { setting in
        let value = if case .string(let text) = setting.value { text } else { "NO" }
        #expect(setting.entry == "legacy.example.com")
        return "\(setting.key) = \(value)"
      }.joined(separator: ", ")
    }
    #expect(settings == options)
    #expect(
      item.reason.hasPrefix("no key of NSAppTransportSecurity is known to allow this: the server refused"))
    for option in item.options {
      guard case .entry(let host, let keys) = option else { continue }
      var entrySettings = ExceptionSettings()
      if keys["NSExceptionRequiresForwardSecrecy"] != nil { entrySettings.requiresForwardSecrecy = false }
      if case .string(let text)? = keys["NSExceptionMinimumTLSVersion"] {
        entrySettings.minimumTLSVersion = text
      }
      #expect(Engine().content(refused, entry(host, entrySettings)).verdict == .unknown)
    }
  }

  @Test(
    arguments: [
      (40, ["NSExceptionRequiresForwardSecrecy", "NSExceptionRequiresNIAPTLSPackageVersion"]),
      (70, ["NSExceptionMinimumTLSVersion", "NSExceptionRequiresNIAPTLSPackageVersion"]),
    ] as [(UInt8, [String])])
  func `a NIAP package may be why a server refuses what a device offers`(alert: UInt8, names: [String]) throws {
    let present = ATSDictionary(requiredNIAPPackage: .fcp2d1)
    let plan = Engine().plan([Sessions.refused("legacy.example.com", alert: alert)], present: present)
    let options = try #require(plan.mayHelp.first).options
    #expect(options.first?.settings.map(\.key) == names)
    #expect(options.allSatisfy { $0.settings.map(\.key).contains("NSExceptionRequiresNIAPTLSPackageVersion") })
    // If the client offered only what the package allows, to lift it is enough to offer more.
    let suites: [UInt16] = [0x1301, 0x1302, 0x1303, 0xC02B, 0xC02C, 0xC02F, 0xC030]
    let small = Engine().plan([Sessions.refused("legacy.example.com", alert: 40, suites: suites)], present: present)
    #expect(small.mayHelp.first?.options.map { $0.settings.map(\.key) } == [["NSExceptionRequiresNIAPTLSPackageVersion"]])
  }

  @Test func `a present key that a refused client may need is kept`() throws {
    let refused = Sessions.refused("legacy.example.com", alert: 70)
    for minimum in ["TLSv1.0", "TLSv1.1"] {
      var present = ATSDictionary()
      present.exceptionDomains = [
        ExceptionEntry(
          key: "example.com", includesSubdomains: true,
          settings: ExceptionSettings(allowsInsecureHTTPLoads: true, minimumTLSVersion: minimum))
      ]
      #expect(Engine().content(refused, present).verdict == .unknown)
      let plan = Engine().plan([refused], present: present)
      #expect(plan.dictionary == entry("legacy.example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.1")))
      #expect(Engine().content(refused, plan.dictionary).verdict == .unknown)
      let key = try #require(plan.keys.first)
      #expect(plan.keys.count == 1 && key.dependsOnOffer && key.sessions == 1)
    }
    // Keys that do not make the session undecided are not kept.
    let plan = Engine().plan([refused], present: entry("legacy.example.com", ExceptionSettings(allowsInsecureHTTPLoads: true)))
    #expect(plan.dictionary == ATSDictionary())
  }

  @Test func `a global key without which sessions fail that nothing else allows is not reported as unneeded`() {
    let refused = Sessions.refused("legacy.example.com", alert: 70)
    let engine = Engine(os: "ios18.5")
    let missed = engine.plan([refused, Sessions.tls("example.com")], present: ATSDictionary(allowsArbitraryLoads: true))
    #expect(missed.counts.mayHelp == 1 && missed.dictionary == ATSDictionary())
    #expect(missed.unneeded.map(\.kind) == [.missed])
    #expect(missed.unneeded.map(\.reason) == ["without it, sessions with legacy.example.com fail"])
    // The key for local destinations does not matter to the session.
    let local = engine.plan([refused], present: ATSDictionary(allowsLocalNetworking: true))
    #expect(local.unneeded.map(\.kind) == [.unused])
  }

  @Test func `entries that a session with an unknown host may need are kept`() throws {
    let allowing = entry("legacy.example.net", ExceptionSettings(allowsInsecureHTTPLoads: true))
    var present = allowing
    present.exceptionDomains += entry("old.example.net", ExceptionSettings(minimumTLSVersion: "TLSv1.0")).exceptionDomains
    let session = Sessions.cleartext(nil)
    #expect(Engine().content(session, present).verdict == .unknown)
    let plan = Engine().plan([session], present: present)
    #expect(plan.dictionary == allowing)
    #expect(plan.counts.undecided == 1 && plan.counts.impossible == 0)
    #expect(plan.undecidedHosts == [nil])
    #expect(plan.unneeded.map(\.entry) == ["old.example.net"])
    #expect(try #require(plan.keys.first).sessions == 1)
    #expect(Engine().plan([session]).counts.impossible == 1)
  }

  @Test func `entries are kept that a session may need whose unknown host may also need none`() throws {
    var tls = Sessions.tls(nil, version: 0x0301, suite: 0xC013)
    tls.evidence.clientHello = .missing
    tls.sharedTLS?.sharedOffer = nil
    tls.serverNameSource = nil
    // The host may be the server's address, which is local.
    tls.server = Endpoint(address: IPAddress(v4: 0xC0A8_0104), port: 443)
    var http = Sessions.cleartext(nil)
    http.evidence.clientHello = .partial
    let older = entry("old.example.net", ExceptionSettings(minimumTLSVersion: "TLSv1.0"))
    let allowing = entry("legacy.example.net", ExceptionSettings(allowsInsecureHTTPLoads: true))
    var present = older
    present.exceptionDomains += allowing.exceptionDomains
    for (session, kept, rest, rule) in [(tls, older, allowing, "ATS-TLS-VERSION"), (http, allowing, older, "ATS-HTTPS")] {
      #expect(Engine().content(session, nil).verdict == .unknown)
      let plan = Engine().plan([session], present: present)
      #expect(plan.dictionary == kept)
      #expect(plan.counts.undecided == 1 && plan.counts.impossible == 0)
      #expect(plan.unneeded.map(\.entry) == rest.exceptionDomains.map(\.key))
      let key = try #require(plan.keys.first)
      #expect(key.sessions == 1 && key.rules.contains(rule))
    }
    // A session that this entry does not allow either does not explain it.
    var refused = tls
    refused.sharedTLS?.sharedServerHello?.cipherSuite = CipherSuite(rawValue: 0x002F)
    let key = try #require(Engine().plan([tls, refused], present: present).keys.first)
    #expect(key.sessions == 1 && key.rules == ["ATS-TLS-VERSION"])
    // A session that needs another entry.
    let both = Engine().plan([Sessions.cleartext(nil), tls], present: present)
    #expect(both.dictionary == present)
    #expect(both.keys.map(\.rules).contains(["ATS-TLS-VERSION"]))
    #expect(both.keys.allSatisfy { $0.sessions == 1 })
  }

  @Test func `a refusal of everything that a device can offer is reported as impossible`() {
    let suites = Sessions.permitted + [0x009D, 0x009C, 0x0035, 0x002F, 0xC008, 0xC012, 0x000A]
    let refused = Sessions.refused(
      "legacy.example.com", alert: 40, versions: [0x0304, 0x0303, 0x0302, 0x0301], suites: suites)
    let plan = Engine().plan([refused])
    #expect(plan.counts.impossible == 1)
    #expect(plan.mayHelp.isEmpty)
    #expect(plan.impossible.first?.reason.hasPrefix("no key of NSAppTransportSecurity allows this") == true)
  }

  @Test
  func `a refusal that keys of other sessions may fix is not counted as allowed`() {
    let plan = Engine().plan([
      Sessions.tls("legacy.example.com", version: 0x0302),
      Sessions.refused("legacy.example.com", alert: 70),
    ])
    #expect(
      plan.dictionary == entry("legacy.example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.1")))
    #expect(plan.keys.map(\.sessions) == [1])
    #expect(plan.counts.undecided == 1)
    #expect(plan.counts.mayHelp == 1)
    #expect(plan.mayHelp.first?.rules == ["ATS-TLS-VERSION"])
  }

  @Test func `a host that passes over HTTPS gets no cleartext exception`() throws {
    let engine = Engine(passesUnseenCertificates: true)
    let host = "www.example.com"
    let plan = engine.plan([Sessions.cleartext(host, frame: 1), Sessions.tls(host, frame: 7)])
    #expect(plan.dictionary == ATSDictionary())
    #expect(plan.counts.upgradable == 1)
    #expect(plan.counts.byKeys + plan.counts.impossible == 0)
    let item = try #require(plan.upgradable.first)
    #expect(item.host == host)
    #expect(item.passing.firstFrame == 7)
    // Sessions outside the plan show this too, and need no keys themselves.
    let other = engine.plan(
      [Sessions.cleartext(host)], elsewhere: [Sessions.tls(host, frame: 9), Sessions.cleartext("old.example.com")])
    #expect(other.dictionary == ATSDictionary())
    #expect(other.upgradable.map(\.passing.firstFrame) == [9])
    #expect(other.counts.upgradable == 1 && other.counts.withoutKeys == 0)
    let strict = ATSDictionary(allowsLocalNetworking: false)
    let local = engine.plan([Sessions.cleartext("nas"), Sessions.tls("nas")], present: strict)
    #expect(local.dictionary == strict)
    // HTTPS that itself needs a key is not a reason to change the URL.
    let old = engine.plan([Sessions.cleartext(host), Sessions.tls(host, version: 0x0302)])
    #expect(old.dictionary.exceptionDomains.first?.settings.allowsInsecureHTTPLoads == true)
    // A requirement that HTTPS does not meet is removed, and HTTPS then passes.
    let raised = ExceptionSettings(minimumTLSVersion: "TLSv1.3")
    let package = ATSDictionary(requiredNIAPPackage: .fcp2d1)
    for (present, suite) in [(entry(host, raised), UInt16(0xC02F)), (package, 0xC013)] {
      let https = Sessions.tls(host, suite: suite)
      let plan = engine.plan([Sessions.cleartext(host), https], present: present)
      #expect(plan.counts.upgradable == 1 && !plan.dictionary.exceptionDomains.contains { $0.settings.allowsInsecureHTTPLoads == true })
      #expect(plan.dictionary == engine.plan([https], present: present).dictionary)
      #expect(engine.plan([Sessions.cleartext(host), https], present: plan.dictionary).dictionary == plan.dictionary)
    }
    // A session without observed certificates is not known to pass: the exception stays, with the advice.
    let unknown = Engine().plan([
      Sessions.cleartext(host), Sessions.tls(host, version: 0x0304, suite: 0x1301),
    ])
    #expect(unknown.dictionary == entry(host, ExceptionSettings(allowsInsecureHTTPLoads: true)))
    #expect(unknown.keys.first?.fixes.first?.text.contains("change the URL") == true)
  }

  @Test(arguments: [4, 5, 30])
  func `five hosts or more in web views get one key instead of entries`(count: Int) {
    let sessions = (1...count).map { Sessions.cleartext("site\($0).example.com") }
    let plan = Engine(context: .web).plan(sessions)
    let isMany = count >= 5
    #expect(plan.dictionary.allowsArbitraryLoadsInWebContent == (isMany ? true : nil))
    #expect(plan.dictionary.exceptionDomains.count == (isMany ? 0 : count))
    #expect(plan.webContentHosts.count == (isMany ? count : 0))
    #expect(plan.counts.byKeys == count)
    let app = Engine().plan(sessions)
    #expect(app.dictionary.exceptionDomains.count == count)
  }

  @Test func `an entry for an IP address is written as in the URL`() {
    let written = "2001:0db8:0:0:0:0:0:1"
    let session = Sessions.cleartext(written, address: IPAddress(v6: 0x2001_0DB8 << 32, 1))
    let exception = Engine().content(session, nil).narrowestException
    let keys = ["NSExceptionAllowsInsecureHTTPLoads": NarrowestException.Value.boolean(true)]
    #expect(exception == .entry(host: written, keys: keys))
    #expect(Engine().plan([session]).dictionary.exceptionDomains.map(\.key) == [written])
  }

  @Test func `an IP address from a URL and from packets is the same host`() {
    let address = IPAddress(v4: 0xCB00_7109)
    var byPackets = Sessions.tls("203.0.113.9", version: 0x0302, address: address)
    byPackets.serverNameSource = .address
    let sessions = [Sessions.cleartext("203.0.113.9", address: address), byPackets]
    let plan = Engine().plan(sessions)
    #expect(plan.keys.map(\.entry) == ["203.0.113.9", "203.0.113.9"])
    #expect(plan.keys.allSatisfy { $0.sessions == 1 && !$0.rules.isEmpty })
    #expect(Engine().diagnosis(sessions).map(\.sessions) == [1, 1])
  }

  @Test func `IP addresses get an entry from iOS 17 on, and NSAllowsArbitraryLoads before iOS 10`() {
    var session = Sessions.cleartext("203.0.113.9", address: IPAddress(v4: 0xCB00_7109))
    session.serverNameSource = .address
    #expect(
      Engine().plan([session]).dictionary
        == entry("203.0.113.9", ExceptionSettings(allowsInsecureHTTPLoads: true)))
    #expect(Engine(os: "ios12").plan([session]).dictionary == ATSDictionary())
    #expect(Engine(os: "ios9").plan([session]).dictionary == ATSDictionary(allowsArbitraryLoads: true))
  }

  @Test(arguments: ["example.com/", "b\u{10FFFC}cher.example", "exam\u{202E}ple.com"])
  func `a host name that no entry can contain gets no key`(host: String) {
    for os in ["ios9", "ios26"] {
      let plan = Engine(os: os).plan([Sessions.cleartext(host)])
      #expect(plan.dictionary == ATSDictionary())
      #expect(plan.counts.impossible == 1)
    }
  }

  @Test func `hosts without a name get the key of their context`() {
    let session = Sessions.cleartext(nil)
    #expect(Engine(context: .app).plan([session]).counts.impossible == 1)
    #expect(
      Engine(context: .web).plan([session]).dictionary
        == ATSDictionary(allowsArbitraryLoadsInWebContent: true))
    #expect(
      Engine(context: .media).plan([session]).dictionary == ATSDictionary(allowsArbitraryLoadsForMedia: true))
  }

  @Test func `a global key does not count for a session that the system rejects anyway`() {
    let plan = Engine(context: .web).plan([
      Sessions.cleartext(nil), Sessions.tls("example.com", version: 0x0301, suite: 0x0005),
    ])
    #expect(plan.dictionary == ATSDictionary(allowsArbitraryLoadsInWebContent: true))
    #expect(plan.keys.map(\.rules) == [["ATS-HTTPS"]])
    #expect(plan.counts.byKeys == 1)
    #expect(plan.counts.impossible == 1)
    #expect(plan.impossible.map(\.host) == ["example.com"])
    #expect(plan.impossible.allSatisfy { $0.reason.hasPrefix("the system rejects this although ATS is off, and no key ") })
  }

  @Test func `a session that is not a URL load is not grouped with an equal URL load`() {
    var mail = Sessions.tls("mail.example.com", version: 0x0302)
    mail.tunnel = [.startTLS("imap")]
    let load = Sessions.tls("mail.example.com", version: 0x0302)
    let plan = Engine().plan([mail, load], present: ATSDictionary(allowsArbitraryLoads: true))
    #expect(plan.dictionary == entry("mail.example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.1")))
    #expect(plan.counts.undecided == 1)
    #expect(plan.counts.withoutKeys == 1)
    var local = Sessions.tls("nas")
    local.tunnel = [.startTLS("imap")]
    let diagnoses = Engine().diagnosis([local, Sessions.tls("nas")])
    #expect(diagnoses.map(\.sessions) == [1])
    #expect(diagnoses.map(\.otherSessions) == [1])
  }

  @Test(arguments: [
    "a/b.example", "a b.example", String(repeating: "a.", count: 200) + "example",
  ])
  func `names with invalid characters or above the length limit get no entry`(name: String) {
    let plan = Engine().plan([Sessions.cleartext(name)])
    #expect(plan.dictionary == ATSDictionary())
    #expect(plan.counts.impossible == 1)
  }

  @Test func `pins are kept, and so are requirements that all sessions meet`() {
    var present = entry("example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.3"))
    present.pinnedDomains = [PinnedDomain(key: "example.org", leafDigests: ["YQ=="])]
    let good = Sessions.tls("example.com", version: 0x0304, suite: 0x1301)
    let plan = Engine().plan([good], present: present)
    #expect(plan.dictionary == present)
    #expect(plan.abandoned.isEmpty)
    let older = Engine().plan([good, Sessions.tls("example.com")], present: present)
    #expect(older.abandoned.map(\.entry) == ["example.com"])
    #expect(older.dictionary.pinnedDomains == present.pinnedDomains)
  }

  @Test func `a required NIAP package is lifted only for the host`() {
    let present = ATSDictionary(requiredNIAPPackage: .fcp2d1)
    let plan = Engine().plan([Sessions.tls("example.com", suite: 0xC013)], present: present)
    var expected = present
    expected.exceptionDomains = [ExceptionEntry(key: "example.com", requiredNIAPPackage: NIAPPackage.none)]
    #expect(plan.dictionary == expected)
  }

  @Test(arguments: [("www.example.com", "example.com"), ("203.0.113.7", "203.0.113.0/24")])
  func `a new entry keeps the requirements of the one that it replaces`(host: String, parent: String) {
    var present = ATSDictionary()
    present.exceptionDomains = [
      ExceptionEntry(
        key: parent, includesSubdomains: true, settings: ExceptionSettings(minimumTLSVersion: "TLSv1.3"),
        requiredNIAPPackage: .fcp2d1)
    ]
    var expected = present
    expected.exceptionDomains.append(
      ExceptionEntry(
        key: host, settings: ExceptionSettings(allowsInsecureHTTPLoads: true, minimumTLSVersion: "TLSv1.3"),
        requiredNIAPPackage: .fcp2d1))
    let plan = Engine().plan([Sessions.cleartext(host)], present: present)
    #expect(plan.dictionary == expected)
    #expect(plan.abandoned.isEmpty)
  }

  @Test(arguments: [("www.example.com", "example.com"), ("203.0.113.9", "203.0.113.0/24")])
  func `a new entry lacks requirements that the release does not read or that are the default`(host: String, parent: String) {
    var present = ATSDictionary()
    present.exceptionDomains = [
      ExceptionEntry(
        key: parent, includesSubdomains: true, settings: ExceptionSettings(minimumTLSVersion: "TLSv1.3"),
        requiresCertificateTransparency: true)
    ]
    var expected = present
    expected.exceptionDomains.append(ExceptionEntry(key: host, settings: ExceptionSettings(requiresForwardSecrecy: false)))
    let session = Sessions.tls(host, suite: 0x009C)
    #expect(Engine().plan([session], present: present).dictionary == expected)
    #expect(
      Engine().content(session, present).narrowestException
        == .entry(host: host, keys: ["NSExceptionRequiresForwardSecrecy": .boolean(false)]))
  }

  @Test func `a global key keeps the app's strict entries`() {
    let sites = (1...5).map { Sessions.cleartext("site\($0).example") }
    let strict = [
      ExceptionEntry(key: "bank.example.com"), ExceptionEntry(key: "example.org", includesSubdomains: true),
    ]
    let present = ATSDictionary(allowsArbitraryLoadsInWebContent: true, exceptionDomains: strict)
    let engine = Engine(context: .web)
    #expect(engine.plan(sites, present: present).dictionary == present)
    #expect(engine.plan(sites, present: ATSDictionary(exceptionDomains: strict)).dictionary == present)
    #expect(engine.plan(sites, present: present).unneeded.isEmpty)
    // A session with such a host gets its keys in that entry.
    var expected = present
    expected.exceptionDomains[0].settings.requiresForwardSecrecy = false
    expected.exceptionDomains.append(
      ExceptionEntry(key: "www.example.org", settings: ExceptionSettings(minimumTLSVersion: "TLSv1.1")))
    let others = [
      Sessions.tls("bank.example.com", suite: 0x009C), Sessions.tls("www.example.org", version: 0x0302),
      Sessions.tls("api.example.org"),
    ]
    let plan = engine.plan([Sessions.cleartext(nil)] + others, present: present)
    #expect(Set(plan.dictionary.exceptionDomains) == Set(expected.exceptionDomains))
    #expect(plan.dictionary.allowsArbitraryLoadsInWebContent == true)
    var byAddress = Sessions.cleartext("203.0.113.9", address: IPAddress(v4: 0xCB00_7109))
    byAddress.serverNameSource = .address
    #expect(
      Engine(os: "ios9").plan([byAddress], present: ATSDictionary(exceptionDomains: strict)).dictionary
        == ATSDictionary(allowsArbitraryLoads: true, exceptionDomains: strict))
  }

  @Test func `removing NSAllowsLocalNetworking = NO keeps the app's other strict entries`() {
    let present = ATSDictionary(
      allowsLocalNetworking: false, exceptionDomains: [ExceptionEntry(key: "nas"), ExceptionEntry(key: "tv")])
    let plan = Engine().plan(
      [Sessions.cleartext("nas"), Sessions.cleartext("printer.local")], present: present)
    #expect(plan.dictionary == ATSDictionary(exceptionDomains: [ExceptionEntry(key: "tv")]))
    #expect(plan.abandoned.map(\.entry) == [nil, "nas"])
  }

  @Test func `an exception for a host keeps the requirements of its entry for subdomains`() {
    let present = ATSDictionary(exceptionDomains: [
      ExceptionEntry(
        key: "example.com", includesSubdomains: true, settings: ExceptionSettings(minimumTLSVersion: "TLSv1.3"))
    ])
    let below = ExceptionEntry(
      key: "www.example.com", settings: ExceptionSettings(minimumTLSVersion: "TLSv1.3"))
    let good = Sessions.tls("www.example.com", version: 0x0304, suite: 0x1301)
    let older = Engine().plan([Sessions.tls("example.com"), good], present: present)
    #expect(older.dictionary.exceptionDomains == [below])
    let insecure = Engine().plan([Sessions.cleartext("example.com"), good], present: present)
    #expect(insecure.dictionary.exceptionDomains.first?.settings.allowsInsecureHTTPLoads == true)
    #expect(insecure.dictionary.exceptionDomains.dropFirst() == [below])
  }

  @Test func `an exception for a host with an entry in the app requires nothing of what the entry of its parent requires`() {
    let engine = Engine(passesUnseenCertificates: true)
    let host = "api.example.com"
    let insecure = ExceptionEntry(key: host, settings: ExceptionSettings(allowsInsecureHTTPLoads: true))
    let parent = ExceptionEntry(key: "example.com", includesSubdomains: true, settings: ExceptionSettings(minimumTLSVersion: "TLSv1.3"))
    let present = ATSDictionary(exceptionDomains: [parent, insecure])
    let https = Sessions.tls(host)
    #expect(engine.content(https, present).verdict == .pass)
    #expect(engine.plan([Sessions.cleartext(host)], present: present).dictionary.exceptionDomains == [parent, insecure])
    let both = engine.plan([Sessions.cleartext(host), https], present: present)
    #expect(both.dictionary.exceptionDomains == [parent, ExceptionEntry(key: host)])
    #expect(both.counts.upgradable == 1 && both.abandoned.isEmpty)
    #expect(both.bareEntries.map(\.entry) == [host])
    #expect(both.bareEntries.first?.reason == "replaces what the entry example.com requires, which sessions of the host do not meet")
    // Nor of what the entry of a wider name requires, if the app's entry for a name between them applies to the host.
    let between = ExceptionEntry(key: host, includesSubdomains: true, settings: ExceptionSettings(allowsInsecureHTTPLoads: true))
    let below = engine.plan([Sessions.cleartext("eu." + host)], present: ATSDictionary(exceptionDomains: [parent, between]))
    let insecureBelow = ExceptionEntry(key: "eu." + host, settings: ExceptionSettings(allowsInsecureHTTPLoads: true))
    #expect(below.dictionary.exceptionDomains == [parent, insecureBelow])
  }

  @Test func `a local host that the system rejects needs an entry, if one helps`() {
    let local = IPAddress(v4: 0xC0A8_0105)
    let old = Sessions.tls("printer.local", version: 0x0301, suite: 0xC013, address: local)
    let engine = Engine(passesUnseenCertificates: true)
    #expect(engine.content(old, nil).verdict == .exempt)
    let keys: [String: NarrowestException.Value] = ["NSExceptionMinimumTLSVersion": .string("TLSv1.0")]
    #expect(engine.content(old, nil).narrowestException == .entry(host: "printer.local", keys: keys))
    let plan = engine.plan([old])
    #expect(plan.dictionary == entry("printer.local", ExceptionSettings(minimumTLSVersion: "TLSv1.0")))
    #expect(plan.counts.byKeys == 1 && plan.counts.withoutKeys == 0)
    let ancient = engine.plan([Sessions.tls("printer.local", version: 0x0300, suite: 0xC013, address: local)])
    #expect(ancient.dictionary == ATSDictionary())
    #expect(ancient.counts.impossible == 1)
  }

  @Test func `only requirements that an exception lifts are reported as removed`() {
    let raised = ExceptionSettings(minimumTLSVersion: "TLSv1.3")
    let session = Sessions.tls("api.example.com", suite: 0xC013)
    let parent = ATSDictionary(exceptionDomains: [
      ExceptionEntry(
        key: "example.com", includesSubdomains: true, settings: raised, requiredNIAPPackage: .fcp2d1)
    ])
    let plan = Engine().plan([session], present: parent)
    #expect(plan.dictionary.exceptionDomains == parent.exceptionDomains + [ExceptionEntry(key: "api.example.com")])
    #expect(plan.abandoned.map(\.entry) == ["api.example.com", "api.example.com"])
    #expect(
      plan.abandoned.map(\.key) == ["NSExceptionMinimumTLSVersion", "NSExceptionRequiresNIAPTLSPackageVersion"])
    #expect(plan.unneeded.isEmpty)
    #expect(plan.abandoned.allSatisfy { !$0.dependsOnOffer })
    let limited = Engine().plan([Sessions.tls("api.example.com", offersTLS13: false)], present: entry("api.example.com", raised))
    #expect(limited.abandoned.map(\.dependsOnOffer) == [true])
    let own = Engine().plan([session], present: entry("api.example.com", raised))
    #expect(own.dictionary == ATSDictionary())
    #expect(own.abandoned.map(\.entry) == ["api.example.com"])
    #expect(own.unneeded.isEmpty)
  }

  @Test(arguments: ["DTLSv1.0", "DTLSv1.2"])
  func `a minimum for DTLS is not a requirement that an entry keeps`(minimum: String) {
    let present = entry("example.com", ExceptionSettings(minimumTLSVersion: minimum))
    let plan = Engine(passesUnseenCertificates: true).plan([Sessions.tls("example.com")], present: present)
    #expect(plan.dictionary == ATSDictionary() && plan.abandoned.isEmpty && plan.bareEntries.isEmpty)
    #expect(plan.unneeded.map(\.entry) == ["example.com"])
  }

  @Test func `a strict entry that the key for web content replaces is reported as removed`() {
    let sites = (1...5).map { Sessions.cleartext("site\($0).example") }
    let plan = Engine(context: .web).plan(
      sites, present: ATSDictionary(exceptionDomains: [ExceptionEntry(key: "site1.example")]))
    #expect(plan.dictionary == ATSDictionary(allowsArbitraryLoadsInWebContent: true))
    #expect(plan.abandoned.map(\.entry) == ["site1.example"])
    #expect(plan.unneeded.isEmpty)
  }

  @Test func `settings that no session needs are reported as unneeded`() {
    let present = ATSDictionary(
      allowsArbitraryLoads: true,
      exceptionDomains: [
        ExceptionEntry(key: "unused.example", settings: ExceptionSettings(allowsInsecureHTTPLoads: true)),
        ExceptionEntry(
          key: "example.com",
          settings: ExceptionSettings(allowsInsecureHTTPLoads: true, requiresForwardSecrecy: false)),
      ])
    let plan = Engine().plan([Sessions.tls("example.com", suite: 0x009C)], present: present)
    #expect(plan.dictionary == entry("example.com", ExceptionSettings(requiresForwardSecrecy: false)))
    #expect(
      plan.unneeded.map { "\($0.entry ?? "-") \($0.key ?? "-")" } == [
        "- NSAllowsArbitraryLoads", "unused.example -", "example.com NSExceptionAllowsInsecureHTTPLoads",
      ])
  }

  @Test func `several hosts of a registrable domain have one entry as an alternative`() {
    let plan = Engine().plan(
      ["a.example.co.uk", "b.example.co.uk", "other.co.uk"].map { Sessions.tls($0, suite: 0x009C) })
    #expect(plan.dictionary.exceptionDomains.count == 3)
    #expect(plan.alternatives.map(\.domain) == ["example.co.uk"])
    #expect(plan.alternatives.first?.hosts == ["a.example.co.uk", "b.example.co.uk"])
    for suffix in ["com.ve", "co.it", "gov.ie", "pages.dev", "x.kawasaki.jp"] {
      let hosts = ["a.\(suffix)", "b.\(suffix)"].map { Sessions.tls($0, suite: 0x009C) }
      #expect(Engine().plan(hosts).alternatives.isEmpty)
    }
  }

  @Test func `distinct sessions of a host are kept up to the limit, and the rest are counted`() {
    var sessions: [ObservedSession] = []
    for frame in 0..<UInt64(SessionSamples.maximumSamplesPerHost + 10) {
      var session = Sessions.tls("example.com", suite: 0x009C, frame: frame + 1)
      if let offer = session.sharedTLS?.sharedOffer {
        var content = offer.value
        content.groups = [NamedGroup(rawValue: UInt16(frame))]
        session.sharedTLS?.sharedOffer = Shared(content)
      }
      sessions.append(session)
    }
    let samples = Engine().samples(sessions)
    #expect(samples.hosts.first?.samples.count == SessionSamples.maximumSamplesPerHost)
    #expect(samples.hosts.first?.leftOut == 10)
    #expect(Engine().plan(sessions).counts.leftOut == 10)
  }
}
