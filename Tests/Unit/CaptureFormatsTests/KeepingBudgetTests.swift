import Testing

@testable import CaptureFormats

@Suite struct KeepingBudgetTests {
  /// Whether a budget of 300 bytes allows each of these counts; each costs 128 bytes more.
  private func spend(_ counts: [Int]) -> [Bool] {
    var budget = KeepingBudget(bytes: 300)
    return counts.map { budget.spend($0) }
  }

  @Test func `a budget can be spent to its last byte but not exceeded`() {
    #expect(spend([172, 0]) == [true, false])
    #expect(spend([22, 22, 0]) == [true, true, false])
  }

  @Test func `a budget that was exceeded once is exhausted`() {
    #expect(spend([173, 0]) == [false, false])
  }
}
