/// Suffixes of two labels under which anybody can register, the common ones; every single label is one too.
///
/// The whole list changes weekly and has thousands; a review needs to catch the slip, not every case of it.
public enum PublicSuffixes {
  /// Whether the name is one of them.
  static func contains(_ name: String) -> Bool { list.contains(name.lowercased()) }

  /// The domain that somebody registered, in which a name is: one label more than a public suffix; nil for names that
  /// are in none.
  public static func registrableDomain(of name: String) -> String? {
    let labels = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count > 1, !labels.contains("") else { return nil }
    // The longest suffix of the list has three labels.
    for count in [3, 2]
    where labels.count > count && list.contains(labels.suffix(count).joined(separator: ".")) {
      return labels.suffix(count + 1).joined(separator: ".")
    }
    if list.contains(labels.joined(separator: ".")) { return nil }
    return labels.suffix(2).joined(separator: ".")
  }

  private static let list: Set<String> = [
    "ac.uk", "co.uk", "gov.uk", "ltd.uk", "me.uk", "net.uk", "org.uk", "plc.uk", "com.au", "edu.au", "gov.au",
    "net.au",
    "org.au", "co.nz", "govt.nz", "net.nz", "org.nz", "ac.jp", "co.jp", "go.jp", "ne.jp", "or.jp", "co.kr",
    "go.kr",
    "or.kr", "com.cn", "edu.cn", "gov.cn", "net.cn", "org.cn", "com.tw", "org.tw", "com.hk", "org.hk",
    "com.sg",
    "com.my", "com.ph", "com.vn", "co.id", "co.in", "firm.in", "gov.in", "net.in", "org.in", "co.th", "co.il",
    "org.il",
    "co.za", "org.za", "com.br", "gov.br", "net.br", "org.br", "com.ar", "com.mx", "com.co", "com.pe",
    "com.tr",
    "gov.tr", "com.ua", "com.pl", "net.pl", "org.pl", "com.ru", "com.es", "com.pt", "com.gr", "com.eg",
    "com.sa",
    "com.ng", "co.ke", "github.io", "herokuapp.com", "appspot.com", "azurewebsites.net", "cloudfront.net",
    "s3.amazonaws.com", "blogspot.com", "netlify.app", "vercel.app", "web.app", "firebaseapp.com",
    "workers.dev",
  ]
}
