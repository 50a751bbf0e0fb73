import SessionModel
import Testing

@Suite struct EnclosingLayerTests {
  private func target(_ text: String) -> ObservedSession.ProxyTarget? { EnclosingLayer(text).proxyTarget }

  @Test(arguments: ["vlan 12", "starttls smtp", "socks 5", "http-connect ", "proxy-protocol 1", ""])
  func `a layer that is not a proxy with a target has no proxy target`(text: String) {
    #expect(target(text) == nil)
  }

  @Test func `a proxy's target is a host with an optional port`() {
    #expect(target("socks 4a a.example:80") == target("http-connect a.example:80"))
    #expect(target("http-connect a.example:80")?.port == 80)
    #expect(target("http-connect [::1]:99999").map { $0.port } == .some(nil))
    #expect(target("http-connect ::1")?.host == "::1")
    #expect(target("http-connect a.example")?.port == nil)
    #expect(target("http-connect a.example:+1")?.port == nil)
  }

  @Test func `only a layer that changes to TLS has a STARTTLS protocol`() {
    #expect(EnclosingLayer.startTLS("smtp").text == "starttls smtp")
    #expect(EnclosingLayer("starttls smtp").startTLSProtocol == "smtp")
    #expect(EnclosingLayer.ftpControl.startTLSProtocol == "ftp")
    #expect(EnclosingLayer.ftpData.startTLSProtocol == nil)
    #expect(EnclosingLayer("socks 5 a.example:443").isSOCKS && !EnclosingLayer("http-proxy a.example").isSOCKS)
  }
}
