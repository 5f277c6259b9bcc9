import FPSCrypto
import Synchronization
import Testing
import VirtualDevice

@Suite("Deliberate errors in SPCs")
struct SPCMutationTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    private func spc(_ mutations: SPCMutation...) throws -> TinyServer.OpenSPC {
        try bench.server.open(try bench.request(.init(mutations: mutations)).spc)
    }

    @Test("The container's fields can be wrong")
    func container() throws {
        #expect(try spc(.spcVersion(9)).version == 9)
        #expect(try spc(.wrongCertificateHash).certificateHash != SHA1.hash(bench.server.certificate))
        let long = try bench.request(.init(mutations: [.payloadLength(.max), .trailing([1, 2, 3])])).spc
        #expect(Array(long[300..<304]) == [0xff, 0xff, 0xff, 0xff])
        #expect(long.suffix(3) == [1, 2, 3])
    }

    @Test("Integrity can be wrong")
    func integrity() throws {
        let spc = try spc(.wrongIntegrity)
        #expect(spc[.integrity] == spc.integrity.map { ~$0 })
    }

    @Test("A downgrade can be claimed")
    func downgrade() throws {
        let spc = try spc(.protocolDowngrade)
        #expect(spc[.protocolVersionUsed] == [0, 0, 0, 1])
        #expect(spc[.protocolVersionsSupported] == [0, 0, 0, 1, 0, 0, 0, 2])
        #expect(try self.spc(.protocolVersions(used: 2, supported: [1]))[.protocolVersionUsed] == [0, 0, 0, 2])
    }

    @Test("Any block can be removed", arguments: SPCDraft.Tag.known)
    func omitting(tag: SPCDraft.Tag) throws {
        let seen = Mutex<[SPCDraft.Block]>([])
        let record = SPCMutation { draft in seen.withLock { $0 = draft.blocks } }
        _ = try bench.request(.init(mutations: [.omitting(tag), record]))
        let left = seen.withLock { $0.map(\.tag) }
        #expect(left.count > 10)
        #expect(!left.contains(tag))
    }

    @Test("Blocks can be duplicated, added and changed")
    func blocks() throws {
        let doubled = try spc(.duplicating(.r2))
        #expect(doubled.blocks.count { $0.tag == SPCDraft.Tag.r2.rawValue } == 2)
        let unknown = SPCDraft.Tag(rawValue: 0x1122_3344_5566_7788)
        #expect(try spc(.adding(unknown, [1, 2, 3]))[unknown] == [1, 2, 3])
        #expect(try spc(.value(.transactionID, [1]))[.transactionID] == [1])
        #expect(try spc(.vmInformationVersion(1))[.vmDeviceInformation]?.prefix(4) == [0, 0, 0, 1])
        #expect(try spc(.createdAt(5))[.mediaPlaybackState]?.prefix(4) == [0, 0, 0, 5])
        #expect(try spc(.playbackState(6))[.mediaPlaybackState]?[4..<8] == [0, 0, 0, 6])
    }

    @Test("Mutations do not crash on short blocks")
    func shortBlocks() throws {
        let short = try spc(.value(.mediaPlaybackState, [1]), .createdAt(5), .playbackState(6))
        #expect(short[.mediaPlaybackState] == [1])
        _ = try spc(.omitting(.vmDeviceInformation), .vmInformationVersion(1), .omitting(.integrity), .wrongIntegrity)
        _ = try spc(.value(.tagReturnRequest, [1, 2, 3]))
    }

    @Test("The tag return request can contain absent tags")
    func absent() throws {
        let spc = try spc(.requestingAbsentTag)
        let tags = numbers(try #require(spc[.tagReturnRequest]))
        #expect(tags.contains(0x0123_4567_89ab_cdef))
        #expect(spc.returned.count == tags.count - 1)
        let chosen = try self.spc(.requestingReturn(of: [.assetID, .assetID]))
        #expect(numbers(try #require(chosen[.tagReturnRequest])) == [0x1bf7_f53f_5d5d_5a1f, 0x1bf7_f53f_5d5d_5a1f])
    }

    @Test("The device accepts the CKC for the SPC that it sent")
    func answered() throws {
        for mutation in [
            SPCMutation.requestingAbsentTag, .requestingReturn(of: []), .value(.antiReplaySeed, Array(1...16)),
            .requestingReturn(of: [.assetID, .transactionID]), .padding(.assetID, count: 11 + 64),
        ] {
            let request = try bench.request(.init(mutations: [mutation]))
            _ = try bench.device.process(ckc: try bench.answer(request), for: request)
        }
    }

    @Test("Lengths and padding can be anything", arguments: [0, 1, 15, 17, 0x7fff_fff0, UInt32.max])
    func lengths(length: UInt32) throws {
        for mutation in [SPCMutation.blockLength(.assetID, length), .valueLength(.assetID, length)] {
            let spc = try bench.request(.init(mutations: [mutation])).spc
            #expect(spc.count > 300)
            // A reader that checks the lengths gets an error or an asset ID of another size.
            if let open = try? bench.server.open(spc) { #expect(open[.assetID]?.count != 5) }
        }
        let padded = try spc(.padding(.assetID, count: 11, of: 0))
        let block = try #require(padded.blocks.first { $0.tag == SPCDraft.Tag.assetID.rawValue })
        #expect(block.padding == [UInt8](repeating: 0, count: 11))
    }
}
