import ByteParsing
import InfoPlistReading
import PolicyResolution
import PropertyLists
import Testing

@Suite struct ATSDictionaryPropertyListTests {
  @Test func `written settings are read back unchanged`() throws {
    let settings = ATSDictionary(
      allowsArbitraryLoads: true, allowsArbitraryLoadsForMedia: false, allowsArbitraryLoadsInWebContent: true,
      allowsLocalNetworking: false,
      exceptionDomains: [
        ExceptionEntry(key: "example.com"),
        ExceptionEntry(
          key: "10.0.0.0/8", includesSubdomains: true,
          settings: ExceptionSettings(
            allowsInsecureHTTPLoads: true, minimumTLSVersion: "TLSv1.0", requiresForwardSecrecy: false),
          requiresCertificateTransparency: true, requiredNIAPPackage: NIAPPackage.none),
      ],
      pinnedDomains: [
        PinnedDomain(
          key: "example.org", includesSubdomains: true, leafDigests: ["YQ=="], caDigests: ["Yg==", "Yw=="]),
        PinnedDomain(key: "example.net", leafDigests: []),
      ],
      requiredNIAPPackage: .recommended)
    let bytes = try #require(settings.infoPropertyList().xml())
    let list = try InfoPropertyList(reading: bytes)
    let isSame = list.ats == settings
    #expect(isSame)
    #expect(list.ignored.map(\.path.keys.last) == [ATSKeys.arbitraryLoads], "other keys cancel it")
  }

  @Test func `empty settings are written as an empty dictionary`() throws {
    let bytes = try #require(ATSDictionary().infoPropertyList().xml())
    #expect(try InfoPropertyList(reading: bytes).ats == ATSDictionary())
  }
}
