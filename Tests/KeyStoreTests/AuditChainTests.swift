import KeyStore
import Testing

@Suite("The hash chain of the audit log")
struct AuditChainTests {
    private let node = AuditHead.newNode()

    /// A consistent log with these times.
    private func log(_ times: ClosedRange<Int64>, from start: AuditHead? = nil) -> [AuditEntry] {
        var head = start ?? AuditHead(startOf: node)
        return times.map { time in
            let record = Sample.audit(time)
            head = head.appending(record)
            return AuditEntry(
                number: time,
                node: head.node,
                sequence: head.sequence,
                hash: head.hash,
                record: record
            )
        }
    }

    private func verify(_ entries: [AuditEntry], expecting: [AuditHead] = []) -> AuditVerification {
        var verifier = AuditVerifier(expecting: expecting)
        for entry in entries { guard verifier.verify(entry) else { break } }
        return verifier.finish()
    }

    @Test("The end of a log is verified without the entries before it")
    func end() {
        let whole = log(1...5)
        let head = AuditHead(node: node, sequence: 5, hash: whole[4].hash)
        #expect(AuditVerifier.verifyEnd(Array(whole.suffix(3)), expecting: head).isIntact)
        #expect(AuditVerifier.verifyEnd(Array(whole.suffix(1)), expecting: head).isIntact)
        #expect(AuditVerifier.verifyEnd([], expecting: AuditHead(startOf: node)).isIntact)
        #expect(AuditVerifier.verifyEnd(Array(whole[2...3]), expecting: head).firstBreak?.fault == .truncated)
        #expect(AuditVerifier.verifyEnd([whole[2], whole[4]], expecting: head).firstBreak?.fault == .missing)
        var changed = whole
        var record = changed[3].record
        record.detail = "changed"
        changed[3] = AuditEntry(number: 4, node: node, sequence: 4, hash: changed[3].hash, record: record)
        #expect(AuditVerifier.verifyEnd(changed, expecting: head).firstBreak?.fault == .changed)
    }

    @Test("A changed, missing, moved or inserted entry is detected and identified")
    func faults() {
        let whole = log(1...5)
        #expect(verify(whole).isIntact)

        var changed = whole
        var record = changed[2].record
        record.detail = "nothing to see here"
        changed[2] = AuditEntry(number: 3, node: node, sequence: 3, hash: changed[2].hash, record: record)
        #expect(verify(changed).firstBreak == .init(fault: .changed, number: 3, node: node, sequence: 3))

        // With a recomputed hash, the next entry reveals the change.
        let forged = AuditHead(node: node, sequence: 2, hash: whole[1].hash).appending(record)
        changed[2] = AuditEntry(number: 3, node: node, sequence: 3, hash: forged.hash, record: record)
        #expect(verify(changed).firstBreak == .init(fault: .changed, number: 4, node: node, sequence: 4))

        var missing = whole
        missing.remove(at: 2)
        #expect(verify(missing).firstBreak == .init(fault: .missing, number: 4, node: node, sequence: 4))
        #expect(verify(Array(whole.dropFirst())).firstBreak?.fault == .missing)

        var moved = whole
        moved.swapAt(1, 3)
        #expect(verify(moved).firstBreak?.fault == .missing || verify(moved).firstBreak?.fault == .reordered)
        #expect(verify(whole + [whole[1]]).firstBreak?.fault == .reordered)
    }

    @Test("Removed entries at the end are not detected, except before a known head")
    func truncation() throws {
        let whole = log(1...5)
        let cut = Array(whole.prefix(3))
        #expect(verify(cut).isIntact)
        let noted = try #require(verify(whole).heads.first)
        #expect(
            verify(cut, expecting: [noted]).firstBreak == .init(fault: .truncated, number: nil, node: node, sequence: 4)
        )
        let earlier = AuditHead(node: node, sequence: 2, hash: whole[1].hash)
        #expect(verify(cut, expecting: [earlier]).isIntact)
        #expect(verify([], expecting: [AuditHead(startOf: node)]).isIntact)
    }

    @Test("Two nodes have separate chains in one log")
    func nodes() {
        let other = AuditHead(startOf: AuditHead.newNode())
        let (mine, others) = (log(1...3), log(4...6, from: other))
        let mixed = zip(mine, others).flatMap { [$0, $1] }
        let found = verify(mixed)
        #expect(found.isIntact)
        #expect(found.heads.map(\.node) == [node, other.node])
        #expect(verify(mine + Array(others.dropFirst())).firstBreak?.node == other.node)
    }

    @Test("The hash covers every field, and different records have different hashes")
    func fields() {
        let plain = AuditRecord(milliseconds: 1, route: "a", outcome: "b", microseconds: 2)
        var records = [
            plain, AuditRecord(milliseconds: 2, route: "a", outcome: "b", microseconds: 2),
            AuditRecord(milliseconds: 1, route: "ab", outcome: "", microseconds: 2),
            AuditRecord(milliseconds: 1, route: "a", outcome: "b", microseconds: 3),
        ]
        let changes: [(inout AuditRecord) -> Void] = [
            { $0.detail = "c" }, { $0.transactionID = 1 }, { $0.sessionID = 1 }, { $0.assetID = [99] },
            { $0.device = Sample.device(1) }, { $0.deviceClass = "c" }, { $0.bundleName = "c" },
            { $0.policyName = "c" },
            { $0.requestID = "c" }, { $0.remoteAddress = "c" }, { $0.account = "c" }, { $0.detail = "" },
        ]
        for change in changes {
            var record = plain
            change(&record)
            records.append(record)
        }
        let hashes = Set(records.map { AuditHead(startOf: node).appending($0).hash })
        #expect(hashes.count == records.count)
    }

    @Test("The text form of a head can be parsed")
    func text() {
        let head = AuditHead(startOf: node).appending(Sample.audit(1))
        #expect(AuditHead(head.description) == head)
        for damaged in ["", "::", head.description + "0", head.description.replacing(":1:", with: ":-1:"), "zz:1:zz"] {
            #expect(AuditHead(damaged) == nil)
        }
    }

    @Test("The hash of a known entry is fixed, because a change of the layout breaks every log")
    func knownHash() {
        var record = AuditRecord(
            milliseconds: 1_763_000_000_123,
            route: "/fps/license",
            outcome: "issued",
            microseconds: 9
        )
        record.assetID = Array("movie".utf8)
        let head = AuditHead(startOf: [1, 2, 3, 4, 5, 6, 7, 8]).appending(record)
        #expect(
            head.description == "0102030405060708:1:422c64e1c400c8366c5ace00f1614971ae47ce3428a0844e0ea82e3212b861e1"
        )
    }

    /// The hash was computed by another program from the table of the layout.
    @Test("The hashes of an entry with all fields and of the following entry are fixed")
    func knownHashOfAllFields() {
        var record = AuditRecord(milliseconds: -2, route: "/fps/license", outcome: "issued", microseconds: 9)
        record.detail = "naïve"
        record.transactionID = .max
        record.sessionID = 5
        record.assetID = [0, 255]
        record.device = Sample.device(7)
        record.deviceClass = "appleMobile"
        record.bundleName = "app"
        record.policyName = "premium"
        record.requestID = "request"
        record.remoteAddress = "192.0.2.1"
        record.account = "anna"
        let head = AuditHead(startOf: [1, 2, 3, 4, 5, 6, 7, 8]).appending(record)
        #expect(
            head.description == "0102030405060708:1:0b462fba12305d40555e89d2db69dc85ae2e79063f85999ba1533a01fec94623"
        )
        #expect(
            head.appending(record).description
                == "0102030405060708:2:4d931b31538e4d57c6cb7fe530eedc800c61f4d049ddc94ea218cc128b32cc00"
        )
    }
}
