/// The common suffixes under which anybody can register; every single label counts as one too.
///
/// The full list changes weekly and has thousands of entries. The lint needs to catch the typical mistake, not every case.
package enum PublicSuffixes {
  /// Whether the name is a known public suffix, or has one below it.
  package static func contains(_ name: String) -> Bool {
    let labels = labels(of: name.lowercased())
    return isSuffix(labels[...]) || shared.contains(labels.joined(separator: "."))
  }

  /// The registrable domain of a name, one label longer than a public suffix. Nil if the name is in none, or if the domain may itself be an
  /// unlisted public suffix.
  package static func registrableDomain(of name: String) -> String? {
    let labels = labels(of: name.lowercased())
    guard labels.count > 1, !labels.contains("") else { return nil }
    for count in [3, 2] where labels.count > count && isSuffix(labels.suffix(count)) {
      return labels.suffix(count + 1).joined(separator: ".")
    }
    let isShared = (2...3).contains { shared.contains(labels.suffix($0).joined(separator: ".")) }
    if isSuffix(labels[...]) || isShared || isLikeRegion(labels) { return nil }
    return labels.suffix(2).joined(separator: ".")
  }

  private static func labels(of name: String) -> [Substring] {
    name.split(separator: ".", omittingEmptySubsequences: false)
  }

  private static func isSuffix(_ labels: ArraySlice<Substring>) -> Bool {
    guard let first = labels.first, let last = labels.last else { return false }
    return labels.count == 2 && CountryCodeSuffixes.contains(String(first), under: String(last))
      || others.contains(labels.joined(separator: "."))
  }

  /// Whether the name is in a two-letter domain under a country code, as used for states and provinces (`ca.us`, `rm.it`).
  private static func isLikeRegion(_ labels: [Substring]) -> Bool {
    labels.suffix(2).allSatisfy { $0.utf8.count == 2 }
  }

  /// Services that give names to their customers, and a few suffixes under country codes.
  private static let others: Set<String> = [
    "akadns.net", "akamai.net", "akamaiedge.net", "akamaihd.net", "akamaized.net", "amplifyapp.com", "appspot.com", "azure-api.net",
    "azureedge.net", "azurefd.net", "azurestaticapps.net", "azurewebsites.net", "blogspot.com", "cloudapp.net", "cloudflare.net",
    "cloudfront.net", "cloudfunctions.net", "co.com", "com.de", "com.ru", "ddns.net", "de.com", "deno.dev", "duckdns.org", "dyndns.org",
    "edgekey.net", "edgesuite.net", "eu.com", "eu.org", "firebaseapp.com", "fly.dev", "github.io", "githubusercontent.com", "gitlab.io",
    "glitch.me", "googleapis.com", "herokuapp.com", "home.arpa", "hopto.org", "in.net", "msk.ru", "myfritz.net", "myqnapcloud.com",
    "myshopify.com", "netlify.app", "ngrok-free.app", "ngrok.app", "ngrok.io", "no-ip.org", "now.sh", "ondigitalocean.app", "onrender.com",
    "org.ru", "pages.dev", "r2.dev", "readthedocs.io", "repl.co", "replit.app", "s3.amazonaws.com", "spb.ru", "streamlit.app",
    "supabase.co", "surge.sh", "synology.me", "trafficmanager.net", "translate.goog", "trycloudflare.com", "ts.net", "uk.com", "us.com",
    "vercel.app", "vercel.dev", "web.app", "web.core.windows.net", "wixsite.com", "workers.dev", "zapto.org",
    // Australian states.
    "act.edu.au", "catholic.edu.au", "nsw.edu.au", "nt.edu.au", "qld.edu.au", "qld.gov.au", "sa.edu.au", "sa.gov.au",
    "tas.edu.au", "tas.gov.au", "vic.edu.au", "vic.gov.au", "wa.edu.au", "wa.gov.au",
  ]

  /// Domains with public suffixes at more than one level below them: prefectures and cities of Japan, and services with a region label.
  private static let shared: Set<String> = {
    let prefecturesAndCities = """
      aichi akita aomori chiba ehime fukui fukuoka fukushima gifu gunma hiroshima hokkaido hyogo ibaraki ishikawa iwate \
      kagawa kagoshima kanagawa kawasaki kitakyushu kobe kochi kumamoto kyoto mie miyagi miyazaki nagano nagasaki nagoya \
      nara niigata oita okayama okinawa osaka saga saitama sapporo sendai shiga shimane shizuoka tochigi tokushima tokyo \
      tottori toyama wakayama yamagata yamaguchi yamanashi yokohama
      """
    let services = [
      "amazonaws.com", "cloudapp.azure.com", "core.windows.net", "digitaloceanspaces.com",
      "elasticbeanstalk.com", "fastly.net", "fastlylb.net", "linodeobjects.com", "railway.app", "run.app",
    ]
    return Set(prefecturesAndCities.split(separator: " ").map { "\($0).jp" } + services)
  }()
}
