import HLSPlaylist
import Testing

@testable import StreamOrigin

@Suite("Delivery directives (RFC 8216bis, 6.2.5)")
struct DeliveryDirectiveTests {
    @Test("Directives are parsed, and other query items ignored")
    func parsing() throws {
        #expect(try DeliveryDirectives(query: "") == DeliveryDirectives())
        #expect(
            try DeliveryDirectives(query: "token=a&_HLS_msn=7&_HLS_part=2&_HLS_skip=v2")
                == DeliveryDirectives(mediaSequenceNumber: 7, part: 2, skip: .segmentsAndDateRanges)
        )
        #expect(try DeliveryDirectives(query: "_HLS_skip=YES") == DeliveryDirectives(skip: .segments))
        #expect(try DeliveryDirectives(query: "_HLS_future=x") == DeliveryDirectives())
    }

    @Test(
        "Invalid directives are refused",
        arguments: [
            "_HLS_part=1", "_HLS_msn=", "_HLS_msn", "_HLS_msn=-1", "_HLS_msn=1.5", "_HLS_msn=+1",
            "_HLS_msn=18446744073709551616", "_HLS_msn=1&_HLS_msn=2", "_HLS_skip=yes", "_HLS_skip=",
            "_HLS_msn=1&_HLS_part=a",
        ]
    )
    func refusals(query: String) {
        #expect(throws: DirectiveError.self) { try DeliveryDirectives(query: query) }
    }

    @Test("The log contains only directives")
    func logging() throws {
        let directives = try DeliveryDirectives(query: "_HLS_msn=7&token=secret&_HLS_skip=YES&_HLS_part=2")
        #expect(directives.loggedQuery == "_HLS_msn=7&_HLS_part=2&_HLS_skip=YES")
    }
}

@Suite("Blocking playlist reload (RFC 8216bis, 6.2.5.2)")
struct AvailabilityTests {
    /// Segments 88 to 99 are complete, and parts 0 and 1 of segment 100 are listed.
    private func index(_ window: LiveWindow = LiveWindow()) throws -> MediaIndex {
        MediaIndex(try window.playlist(segments: 100, parts: 2))
    }

    private func answer(_ number: UInt64, part: UInt64? = nil, _ index: MediaIndex) -> String {
        switch index.availability(DeliveryDirectives(mediaSequenceNumber: number, part: part)) {
        case .ready: "ready"
        case .wait: "wait"
        case .refused: "400"
        }
    }

    @Test("A segment is waited for until it is complete")
    func segments() throws {
        let index = try index()
        #expect(answer(0, index) == "ready")
        #expect(answer(99, index) == "ready")
        #expect(answer(100, index) == "wait")
        #expect(answer(101, index) == "wait")
        // More than two after the last segment, 99.
        #expect(answer(102, index) == "400")
        #expect(answer(.max, index) == "400")
    }

    @Test("A part is waited for, up to 3 ÷ PART-TARGET parts ahead")
    func parts() throws {
        let index = try index()
        #expect(index.advancePartLimit == 6)
        #expect(answer(100, part: 0, index) == "ready")
        #expect(answer(100, part: 1, index) == "ready")
        #expect(answer(100, part: 2, index) == "wait")
        #expect(answer(100, part: 7, index) == "wait")
        #expect(answer(100, part: 8, index) == "400")
        #expect(answer(100, part: .max, index) == "400")
        #expect(answer(101, part: 0, index) == "wait")
        #expect(answer(101, part: 6, index) == "400")
    }

    @Test("A part after the last one of its segment is the first of the next")
    func partsOfTheNextSegment() throws {
        let index = try index()
        #expect(answer(99, part: 3, index) == "ready")
        // Part 4 of segment 99 is part 0 of segment 100, which is listed.
        #expect(answer(99, part: 4, index) == "ready")
        #expect(answer(98, part: 40, index) == "ready")
        // The parts of segment 90 are not listed anymore.
        #expect(answer(90, part: 40, index) == "ready")
        let complete = MediaIndex(try LiveWindow().playlist(segments: 100, parts: 0))
        #expect(answer(99, part: 3, complete) == "ready")
        #expect(answer(99, part: 4, complete) == "wait")
    }

    @Test("An ended playlist is answered at once")
    func ended() throws {
        let index = try index(LiveWindow(isEnded: true))
        #expect(answer(1_000_000, part: 50, index) == "ready")
    }

    @Test("Without parts, the directive for parts is ignored")
    func withoutParts() throws {
        let index = try index(LiveWindow(hasParts: false))
        #expect(answer(99, part: 50, index) == "ready")
        #expect(answer(100, part: 50, index) == "wait")
        #expect(answer(102, part: 0, index) == "400")
    }

    @Test("The limit is 3 for parts of a second or more, and the wait three Target Durations")
    func limits() throws {
        var playlist = try LiveWindow().playlist(segments: 100, parts: 0)
        #expect(MediaIndex(playlist).longestWait == .seconds(6))
        playlist.partInf?.partTarget = 1
        #expect(MediaIndex(playlist).advancePartLimit == 3)
        playlist.partInf?.partTarget = 0.33
        #expect(MediaIndex(playlist).advancePartLimit == 10)
        playlist.targetDuration = .max
        playlist.mediaSequence = .max
        #expect(MediaIndex(playlist).longestWait == .seconds(180))
    }
}
