import Testing

@testable import PolicyResolution

@Suite struct PublicSuffixesTests {
  @Test(arguments: [
    ("www.example.com", "example.com"), ("example.com", "example.com"),
    ("a.b.example.co.uk", "example.co.uk"), ("api.example.com.ve", "example.com.ve"),
    ("www.example.gov.ie", "example.gov.ie"), ("a.me.pages.dev", "me.pages.dev"),
    ("me.github.io", "me.github.io"), ("bucket.s3.amazonaws.com", "bucket.s3.amazonaws.com"),
    ("A.Example.COM", "example.com"), ("www.abc.de", "abc.de"), ("a.priv.no", "a.priv.no"),
    ("www.example.qld.edu.au", "example.qld.edu.au"), ("www.example.edu.au", "example.edu.au"),
  ])
  func `a registrable domain is one label below a public suffix`(name: String, domain: String) {
    #expect(PublicSuffixes.registrableDomain(of: name) == domain)
  }

  @Test(arguments: [
    "com", "co.uk", "github.io", "", "nas", "example..com", ".com", "example.com.", "com.ve", "co.it",
    "gov.ie",
    "pages.dev", "x.ck",
  ])
  func `public suffixes and invalid names have no registrable domain`(name: String) {
    #expect(PublicSuffixes.registrableDomain(of: name) == nil)
  }

  @Test(arguments: [
    // Every label below some Japanese cities is a suffix, and so is every town below a prefecture.
    "www.example.kawasaki.jp", "a.example.chuo.tokyo.jp", "x.execute-api.us-east-1.amazonaws.com",
    "x.blob.core.windows.net", "x-uc.a.run.app", "a.global.ssl.fastly.net", "b.up.railway.app", "www.ca.us", "www.rm.it",
  ])
  func `a name has no registrable domain where deeper suffixes are unknown`(name: String) {
    #expect(PublicSuffixes.registrableDomain(of: name) == nil)
  }

  @Test func `public suffixes are distinguished from registered domains`() {
    for suffix in [
      "co.uk", "Com.VE", "co.it", "gov.ie", "kawasaki.jp", "tokyo.jp", "pages.dev", "github.io", "run.app",
      "akamaized.net", "azureedge.net", "fastly.net",
    ] {
      #expect(PublicSuffixes.contains(suffix))
    }
    for name in ["example.com", "db.de", "www.tokyo.jp", "example.co.uk", "", "uk", "a.github.io"] {
      #expect(!PublicSuffixes.contains(name))
    }
  }
}
