import Testing

@testable import CaptureFormats

@Suite struct KeepingBudgetTests {
  /// Whether a budget of 300 bytes suffices for each of these expenses, which cost 128 bytes more.
  private func spend(_ counts: [Int]) -> [Bool] {
    var budget = KeepingBudget(bytes: 300)
    return counts.map { budget.spend($0) }
  }

  @Test func `a budget can be spent to its last byte, and no further`() {
    #expect(spend([172, 0]) == [true, false])
    #expect(spend([22, 22, 0]) == [true, true, false])
  }

  @Test func `a budget that once did not suffice is exhausted`() {
    #expect(spend([173, 0]) == [false, false])
  }
}
