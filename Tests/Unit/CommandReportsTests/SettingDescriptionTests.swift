import ATSRules
import CommandReports
import PolicyResolution
import Testing

@Suite struct SettingDescriptionTests {
  @Test func `a key names the rules that it relaxes, each with its condition`() {
    let arbitrary = SettingDescription.named(ATSKeys.arbitraryLoads)?.relaxed.map(\.rule)
    #expect(arbitrary == ["ATS-HTTPS", "ATS-TLS-VERSION", "ATS-CIPHER", "ATS-PFS"])
    let insecureLoads = SettingDescription.named(ATSKeys.insecureLoads)?.relaxed.map { $0.rule + $0.condition }
    #expect(insecureLoads == ["ATS-HTTPS", "ATS-CIPHER with \(ATSKeys.forwardSecrecy) = NO"])
    #expect(SettingDescription.named(ATSKeys.localNetworking)?.value.contains("NO by default") == false)
  }

  @Test func `every key that is read is described exactly once`() {
    let described = SettingDescription.all.map(\.key)
    #expect(Set(described).count == described.count)
    let pins = [ATSKeys.root, ATSKeys.spkiDigest]
    #expect(Set(described) == Set(ATSKeys.globals + ATSKeys.entry + ATSKeys.pinnedEntry + pins))
  }
}
