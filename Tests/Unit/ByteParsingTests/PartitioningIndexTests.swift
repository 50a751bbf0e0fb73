import Testing

import ByteParsing

@Suite struct PartitioningIndexTests {
  @Test func `the first element of the second partition is found in lists of every length`() {
    for count in 0..<40 {
      for first in 0...count {
        #expect((0..<count).partitioningIndex { $0 >= first } == first)
      }
    }
  }

  @Test func `the index found in a slice is an index of the slice`() {
    let slice = [1, 3, 5, 7, 9][2...]
    #expect(slice.partitioningIndex { $0 >= 8 } == 4)
    #expect(slice.partitioningIndex { $0 >= 0 } == 2)
    #expect(slice.partitioningIndex { $0 > 9 } == 5)
  }
}
