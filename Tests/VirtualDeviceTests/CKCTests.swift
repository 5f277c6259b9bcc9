import FPSCrypto
import Testing
import VirtualDevice

@Suite("Processing CKCs")
struct CKCTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    /// Expects that a CKC is refused with -42668, and that the valid CKC is still accepted for the same request.
    private func refuses(
        _ extra: TinyServer.Block...,
        because reason: String,
        _ location: SourceLocation = #_sourceLocation,
        spoil: (inout TestCKC) -> Void = { _ in }
    ) throws {
        let request = try bench.request()
        let ckc = try bench.answer(request, extra, spoil: spoil)
        do throws(FPSError) {
            _ = try bench.device.process(ckc: ckc, for: request)
            Issue.record("a CKC was taken that should be refused: \(reason)", sourceLocation: location)
        } catch {
            #expect(error == .invalidCKC && error.code == -42668, sourceLocation: location)
            let found = error.reason ?? ""
            #expect(found.contains(reason), "\(found)", sourceLocation: location)
        }
        _ = try bench.device.process(ckc: try bench.answer(request), for: request)
    }

    @Test("A valid CKC yields the content key and the IV, for both SPC versions", arguments: [1024, 2048])
    func right(bits: Int) throws {
        let bench = try Bench(server: bits == 1024 ? TinyServer.rsa1024 : TinyServer.rsa2048)
        let key = try bench.key()
        #expect(key.status == .ready)
        #expect(key.notes.isEmpty)
        #expect(key.assetID == Array("movie".utf8))
        try key.startPlaying()
        #expect(try key.givesTestKey)
    }

    @Test("A request accepts only one CKC")
    func singleUse() throws {
        let request = try bench.request()
        let ckc = try bench.answer(request)
        _ = try bench.device.process(ckc: ckc, for: request)
        #expect(throws: FPSError.invalidCKC) { try bench.device.process(ckc: ckc, for: request) }
        #expect(throws: FPSError.invalidCKC) { try bench.device.makePersistentKey(ckc: ckc, for: request) }
    }

    @Test("If many threads process one CKC, only one gets the key")
    func oneOfMany() async throws {
        let bench = bench
        let request = try bench.request()
        let ckc = try bench.answer(request)
        let keys = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask { (try? bench.device.process(ckc: ckc, for: request)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(keys == 1)
    }

    @Test("The CKC of another request or for another device is refused")
    func otherRequest() throws {
        let request = try bench.request()
        let ckc = try bench.answer(request)
        let second = try bench.request()
        #expect(throws: FPSError.invalidCKC) { try bench.device.process(ckc: ckc, for: second) }
        let stranger = try Bench(seed: 99)
        #expect(throws: FPSError.invalidCKC) { try stranger.device.process(ckc: ckc, for: request) }
        _ = try bench.device.process(ckc: ckc, for: request)
    }

    @Test("The container must be valid; its reserved bytes are ignored")
    func container() throws {
        try refuses(because: "CKC version 2") { $0.version = 2 }
        try refuses(because: "truncated") { $0.payloadLength = 0xffff_fff0 }
        try refuses(because: "length-not-multiple-of-16") { $0.payloadLength = .max }
        try refuses(because: "trailing-bytes") { $0.payloadLength = 16 }
        try refuses(because: "trailing-bytes") { $0.trailing = [0] }
        try refuses(because: "empty") { ($0.own, $0.returned) = ([], []) }
        let request = try bench.request()
        _ = try bench.device.process(ckc: try bench.answer(request) { $0.reserved = .max }, for: request)
    }

    @Test("Blocks must have valid lengths")
    func framing() throws {
        for length in [0, 8, 33, 63, 80, 0x7fff_fff0, UInt32.max] as [UInt32] {
            try refuses(because: "") { $0[TestCKC.Tag.encryptedCK]?.blockLength = length }
        }
        for length in [0, 31, 33, 64, 65, UInt32.max] as [UInt32] {
            try refuses(because: "") { $0[TestCKC.Tag.encryptedCK]?.valueLength = length }
        }
        try refuses(because: "occurs more than once") { $0.own.append($0.own[1]) }
        try refuses(because: "occurs more than once") { $0.returned.append($0.returned[0]) }
    }

    @Test("The content key must be present and have the correct size")
    func contentKey() throws {
        try refuses(because: "no content key") { $0[TestCKC.Tag.encryptedCK] = nil }
        for count in [0, 16, 31, 33, 48] {
            try refuses(because: "must be 32") {
                $0[TestCKC.Tag.encryptedCK] = .init(TestCKC.Tag.encryptedCK, [UInt8](repeating: 3, count: count))
            }
        }
    }

    @Test("R1 must be present and equal the R1 in the SPC")
    func r1() throws {
        try refuses(because: "no R1") { $0[TestCKC.Tag.r1] = nil }
        try refuses(because: "R1 differs") { $0[TestCKC.Tag.r1]?.value[43] ^= 1 }
        try refuses(because: "R1 differs") { $0[TestCKC.Tag.r1] = .init(TestCKC.Tag.r1, []) }
    }

    @Test("Every requested block must be returned unmodified, at the end")
    func returned() throws {
        try refuses(because: "was not returned") { _ = $0.returned.removeFirst() }
        try refuses(because: "was not returned") { $0.returned = [] }
        try refuses(because: "was modified") { ckc in
            let index = ckc.returned.firstIndex { !$0.value.isEmpty } ?? 0
            ckc.returned[index].value[0] ^= 1
        }
        try refuses(because: "was modified") { ckc in
            ckc.returned[0].padding += [UInt8](repeating: 1, count: 16)
        }
        try refuses(because: "follows a returned block") { swap(&$0.own, &$0.returned) }
        try refuses(because: "follows a returned block") { ckc in ckc.own.insert(ckc.returned.removeFirst(), at: 0) }
        let request = try bench.request()
        _ = try bench.device.process(ckc: try bench.answer(request) { $0.returned.reverse() }, for: request)
    }

    @Test("An unknown block that was not requested is refused")
    func unknown() throws {
        try refuses(.init(0x0102_0304_0506_0708, [1, 2, 3]), because: "unknown")
    }

    @Test("The order of the CKC's own blocks does not matter")
    func order() throws {
        let request = try bench.request()
        let ckc = try bench.answer(request, [.hdcp(0x4079_1ac7_8bd5_c571), .lease(60)]) { $0.own.reverse() }
        _ = try bench.device.process(ckc: ckc, for: request)
    }

    @Test("Content key duration: the key type, the reserved field and the size are checked")
    func duration() throws {
        try refuses(.duration(lease: 1, type: 0x1a4b_de7f), because: "key type")
        try refuses(.duration(lease: 1, type: 0), because: "key type")
        try refuses(.duration(lease: 1, type: 0x1a4b_de7e, reserved: 0x86d3_4a3b), because: "reserved")
        try refuses(.duration(lease: 1, type: 0x1a4b_de7e, reserved: 0), because: "reserved")
        let right = TinyServer.Block.lease(60).value
        try refuses(.init(TestCKC.Tag.duration, Array(right.dropLast())), because: "truncated")
        try refuses(.init(TestCKC.Tag.duration, right + [0]), because: "trailing-bytes")
        try refuses(.init(TestCKC.Tag.duration, []), because: "truncated")
    }

    @Test("A content key duration requires an SPC with a Media Playback State")
    func durationWithoutState() throws {
        let request = try bench.request(.init(mutations: [.omitting(.mediaPlaybackState)]))
        let ckc = try bench.answer(request, [.lease(60)])
        #expect(throws: FPSError.invalidCKC) { try bench.device.process(ckc: ckc, for: request) }
        _ = try bench.device.process(ckc: try bench.answer(request), for: request)
    }

    @Test("Offline key: the version, the reserved field and the size are checked")
    func offlineKey() throws {
        try refuses(.offlineKey(version: 0, storage: 1, playback: 1), because: "version")
        try refuses(.offlineKey(version: 3, storage: 1, playback: 1), because: "version")
        try refuses(.offlineKey(reserved: 1, storage: 1, playback: 1), because: "reserved")
        try refuses(.offlineKey(version: 1, storage: 1, playback: 1), because: "trailing-bytes")
        try refuses(.offlineKey(version: 2, storage: 1, playback: 1, title: nil), because: "truncated")
        let long = TinyServer.Block.offlineKey(storage: 1, playback: 1).value + [0]
        try refuses(.init(TestCKC.Tag.offlineKey, long), because: "trailing-bytes")
    }

    @Test("A CKC with both an offline key and a content key duration is invalid")
    func offlineKeyAndDuration() throws {
        try refuses(.offlineKey(storage: 1, playback: 1), .persistent, because: "both")
        try refuses(.offlineKey(version: 1, storage: 1, playback: 1, title: nil), .lease(60), because: "both")
    }

    @Test("A CKC with an offline key that the device does not support is invalid")
    func offlineKeyCapability() throws {
        var profile = DeviceProfile.iPhone
        profile.capabilities = [.offlineKey]
        let older = try Bench(profile)
        _ = try older.key(.offlineKey(version: 1, storage: 1, playback: 1, title: nil))
        #expect(throws: FPSError.invalidCKC) { try older.key(.offlineKey(storage: 1, playback: 1)) }
        let oldest = try Bench(.appleWatch)
        #expect(throws: FPSError.invalidCKC) {
            try oldest.key(.offlineKey(version: 1, storage: 1, playback: 1, title: nil))
        }
    }

    @Test("HDCP must have 8 or 16 bytes and a known level")
    func hdcp() throws {
        try refuses(.hdcp(0x4079_1ac7_8bd5_c570), because: "HDCP level")
        let right = TinyServer.Block.hdcp(0x4079_1ac7_8bd5_c571).value
        try refuses(.init(TestCKC.Tag.hdcp, Array(right.dropLast())), because: "truncated")
        try refuses(.init(TestCKC.Tag.hdcp, right + [0]), because: "trailing-bytes")
        _ = try bench.key(.hdcp(0x4079_1ac7_8bd5_c571, short: true))
    }

    @Test("The required security level must have a known version and level")
    func securityLevel() throws {
        try refuses(.securityLevel(0x4e7f_d924_21d5_88b4, version: 2), because: "version")
        try refuses(.securityLevel(1), because: "required security level")
        try refuses(.init(TestCKC.Tag.securityLevel, [0, 0, 0, 1]), because: "truncated")
    }

    @Test("Padding of all 0x00 or all 0xFF is noted, not refused", arguments: [0x00, 0xff] as [UInt8])
    func uniformPadding(byte: UInt8) throws {
        let request = try bench.request()
        let ckc = try bench.answer(request) {
            $0[TestCKC.Tag.r1]?.padding = [UInt8](repeating: byte, count: 20)
        }
        let key = try bench.device.process(ckc: ckc, for: request)
        #expect(key.notes.count == 1)
        #expect(key.notes[0].contains("0xea74c4645d5efee9"))
    }
}
