import PolicyResolution
import SessionBuilding
import SessionModel
import Testing
import Values

@testable import SessionReading

/// The hosts that a supplied chain is for.
@Suite struct SuppliedChainsNamesTests {
  @Test(arguments: [("api-.example.com", true), ("api.example.com", false)])
  func `a chain is for the hosts that its leaf lists, even if devices do not read the name`(host: String, isListed: Bool) {
    // Devices read no name with a label that ends with a hyphen.
    let leaf = CertificateBuilder.leaf { $0.dnsNames = ["api-.example.com"] }
    let chain = Shared(AssumedChain(chain: CertificateChain([leaf], isComplete: true), source: .supplied, file: "chain.pem"))
    #expect(SuppliedChains.names(chain, HostIdentity(host)) == isListed)
  }
}
