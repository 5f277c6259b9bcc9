import KeyServerModule
import Testing

@Suite("Protocol versions")
struct ProtocolVersionTests {
    struct Row: Sendable {
        let server: Set<UInt32>
        let supported: Set<UInt32>
        let used: UInt32
        let decision: ProtocolVersionDecision
    }

    @Test(
        "Tables 2-8 and 2-9, and similar combinations",
        arguments: [
            Row(server: [1], supported: [1], used: 1, decision: .serve),
            Row(server: [1, 2], supported: [1], used: 1, decision: .serve),
            Row(server: [1, 2], supported: [1, 2], used: 2, decision: .serve),
            Row(server: [2], supported: [1, 2], used: 2, decision: .serve),
            Row(server: [1], supported: [1, 2], used: 1, decision: .serveOutdated(newest: 2)),
            Row(server: [2], supported: [1], used: 1, decision: .mismatch),
            Row(server: [1, 2], supported: [1, 2], used: 1, decision: .downgrade),
            // A version in use that the device does not list, or that neither side supports.
            Row(server: [1, 2], supported: [1], used: 2, decision: .mismatch),
            Row(server: [1], supported: [1], used: 0, decision: .mismatch),
            Row(server: [], supported: [1], used: 1, decision: .mismatch),
            Row(server: [1, 3], supported: [1, 2, 3], used: 1, decision: .downgrade),
            Row(server: [1, 2], supported: [1, 2, 3], used: 2, decision: .serveOutdated(newest: 3)),
        ]
    )
    func decisions(row: Row) {
        let decision = ProtocolVersionDecision(server: row.server, supported: row.supported, used: row.used)
        #expect(decision == row.decision)
    }
}
