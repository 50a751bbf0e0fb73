# brew install --HEAD ./atscope.rb, after `homepage` and `head` name the repository you build from.
class Atscope < Formula
  desc "Judges the TLS sessions of packet captures against App Transport Security"
  homepage "https://example.com/atscope"
  license "Apache-2.0"
  head "https://example.com/atscope.git", branch: "main"

  depends_on xcode: ["26.0", :build]
  depends_on "pkgconf" => :build
  depends_on "brotli"
  depends_on "expat"
  depends_on "libarchive"
  depends_on "libpcap"
  depends_on "xz"
  depends_on "zstd"

  def install
    system "swift", "build", "--disable-sandbox", "-c", "release", "--product", "atscope"
    system "make", "install-built", "PREFIX=#{prefix}"
  end

  test do
    assert_match "ATS-CIPHER", shell_output("#{bin}/atscope explain ATS-CIPHER")
  end
end
