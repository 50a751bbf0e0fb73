import CPage

extension HTMLPage {
  /// The script of the page. It creates elements and text nodes, and never parses text as markup.
  static let script = unsafe String(
    decoding: UnsafeBufferPointer(start: atscope_page_script_bytes(), count: atscope_page_script_count), as: UTF8.self)

  /// The style of all pages. Meaning never depends on color alone: verdicts have words, bars have patterns.
  static let style = unsafe String(
    decoding: UnsafeBufferPointer(start: atscope_page_style_bytes(), count: atscope_page_style_count), as: UTF8.self)
}
