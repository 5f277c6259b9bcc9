import Testing

@testable import OfflineAssets

@Suite("Loaded time ranges")
struct LoadedTimeRangesTests {
    @Test func spansThatTouchBecomeOne() {
        var ranges = LoadedTimeRanges()
        for range in [0.0..<2, 4..<6, 8..<10, 2..<4, 5..<9] { ranges.insert(range) }
        #expect(ranges.ranges == [0..<10])
        #expect(ranges.duration == 10)
    }

    @Test func spansThatDoNotTouchStayInOrder() {
        var ranges = LoadedTimeRanges()
        for range in [8.0..<9, 0..<1, 4..<5, 4..<4] { ranges.insert(range) }
        #expect(ranges.ranges == [0..<1, 4..<5, 8..<9])
    }

    @Test func whatBothHaveIsLoaded() {
        var left = LoadedTimeRanges()
        for range in [0.0..<4, 6..<10] { left.insert(range) }
        var right = LoadedTimeRanges()
        for range in [2.0..<7, 9..<12] { right.insert(range) }
        #expect(left.intersection(right).ranges == [2..<4, 6..<7, 9..<10])
        #expect(right.intersection(left) == left.intersection(right))
        #expect(left.intersection(LoadedTimeRanges()).ranges.isEmpty)
    }
}
