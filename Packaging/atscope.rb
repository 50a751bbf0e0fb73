# Builds atscope from the source archive of a release. `make dist` writes out/atscope.rb with its digest; replace OWNER before publishing.
class Atscope < Formula
  desc "Judges the TLS sessions of packet captures against App Transport Security"
  homepage "https://github.com/OWNER/atscope"
  url "https://github.com/OWNER/atscope/releases/download/v0.2.0/atscope-0.2.0-source.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"
  head "https://github.com/OWNER/atscope.git", branch: "main"

  depends_on "pkgconf" => :build
  depends_on "python@3.13" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "brotli"
  depends_on "expat"
  depends_on "libarchive"
  depends_on "libpcap"
  depends_on macos: :sonoma
  depends_on "xz"
  depends_on "zstd"
  uses_from_macos "zlib"

  def install
    system "swift", "build", "--disable-sandbox", "-c", "release", "--product", "atscope"
    system "make", "install-built", "PREFIX=#{prefix}"
  end

  test do
    assert_match "ATS-CIPHER", shell_output("#{bin}/atscope explain ATS-CIPHER")
    assert_match version.to_s, shell_output("#{bin}/atscope --version")
  end
end
