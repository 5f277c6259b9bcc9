import Testing

@testable import Packager

@Suite("Clear lead")
struct ClearLeadTests {
    /// Returns whether the segment with these times in milliseconds is clear.
    private func isClear(_ start: Int64, _ end: Int64, isLeader: Bool, in lead: inout ClearLead) -> Bool {
        let segment = TrackSegment(
            index: 0,
            samples: [],
            start: RationalTime(start, timescale: 1000),
            end: RationalTime(end, timescale: 1000),
            isProtected: true
        )
        return lead.contains(segment, isLeader: isLeader)
    }

    @Test("consists of whole segments of the leading rendition, and the segments that start during these")
    func whole() {
        var lead = ClearLead(RationalTime(6, timescale: 1))
        #expect(isClear(0, 5990, isLeader: true, in: &lead))
        #expect(isClear(0, 6003, isLeader: false, in: &lead))
        // The leading rendition has a segment that starts just before the end.
        #expect(isClear(5990, 11_990, isLeader: true, in: &lead))
        #expect(isClear(6003, 12_010, isLeader: false, in: &lead))
        #expect(lead.isInProgress)
        #expect(!isClear(11_990, 18_000, isLeader: true, in: &lead))
        #expect(!isClear(12_010, 18_000, isLeader: false, in: &lead))
        #expect(!lead.isInProgress)
    }

    @Test("does not contain a late segment of a rendition, even if the leading rendition's segment comes after it")
    func order() {
        var lead = ClearLead(RationalTime(6, timescale: 1))
        #expect(isClear(0, 6000, isLeader: true, in: &lead))
        #expect(!isClear(6003, 9000, isLeader: false, in: &lead))
        #expect(!isClear(6000, 9000, isLeader: true, in: &lead))
    }

    @Test("is measured from the first segment, and absent without a duration")
    func origin() {
        var lead = ClearLead(RationalTime(2, timescale: 1))
        #expect(isClear(10_000, 12_000, isLeader: true, in: &lead))
        #expect(!isClear(12_000, 14_000, isLeader: true, in: &lead))
        var none = ClearLead(nil)
        #expect(!isClear(0, 2000, isLeader: true, in: &none))
        #expect(!none.isInProgress)
    }
}
