import FPSCrypto
import Testing
import VirtualDevice

@Suite("SPCs")
struct SPCTests {
    @Test("The certificate's key determines the version and the offsets", arguments: [(1024, 152), (2048, 280)])
    func container(bits: Int, hashOffset: Int) throws {
        let server = bits == 1024 ? TinyServer.rsa1024 : TinyServer.rsa2048
        let bench = try Bench(server: server)
        let spc = try bench.request().spc
        #expect(number(spc[0..<4]) == (bits == 1024 ? 1 : 2))
        #expect(Array(spc[hashOffset..<hashOffset + 20]) == SHA1.hash(try server.get().certificate))
        #expect(Int(number(spc[hashOffset + 20..<hashOffset + 24])) == spc.count - hashOffset - 24)
        #expect((spc.count - hashOffset - 24) % 16 == 0)
    }

    @Test("The mandatory blocks have their sizes and the integrity bytes agree")
    func mandatory() throws {
        let bench = try Bench()
        let request = try bench.request()
        let spc = try bench.server.open(request.spc)
        #expect(spc[.sessionKeyAndR1]?.count == 112)
        #expect(spc[.integrity] == spc.integrity)
        #expect(spc.integrity.count == 16)
        #expect(spc[.antiReplaySeed]?.count == 16)
        #expect(spc[.r2]?.count == 21)
        #expect(spc[.assetID] == Array("movie".utf8))
        #expect(spc[.transactionID] == bigEndian(request.transactionID))
        #expect(spc[.protocolVersionsSupported] == [0, 0, 0, 1, 0, 0, 0, 2])
        #expect(spc[.protocolVersionUsed] == [0, 0, 0, 1])
        #expect(spc[.streamingIndicator] == bigEndian(UInt64(0)))
        #expect(spc[.sync] == [UInt8](repeating: 0, count: 28))
    }

    @Test("Tags are unique, padding is random and fills up to 16, and the order changes from SPC to SPC")
    func framing() throws {
        let bench = try Bench()
        var orders: Set<[UInt64]> = []
        var extended = false
        for _ in 0..<20 {
            let blocks = try bench.server.open(try bench.request().spc).blocks
            #expect(Set(blocks.map(\.tag)).count == blocks.count)
            for block in blocks where !block.padding.isEmpty {
                #expect((block.value.count + block.padding.count) % 16 == 0)
                #expect(!block.padding.allSatisfy { $0 == 0 } && !block.padding.allSatisfy { $0 == 0xff })
                if block.padding.count >= 16 { extended = true }
            }
            orders.insert(blocks.map(\.tag).filter { tag in SPCDraft.Tag.known.contains { $0.rawValue == tag } })
        }
        #expect(orders.count > 10)
        #expect(extended, "padding is extended by multiples of 16 now and then")
    }

    @Test("The tag return request contains tags of existing blocks, one of them unknown")
    func tagReturnRequest() throws {
        let bench = try Bench()
        var requests: Set<[UInt64]> = []
        for _ in 0..<20 {
            let spc = try bench.server.open(try bench.request().spc)
            let tags = numbers(try #require(spc[.tagReturnRequest]))
            #expect(spc.returned.count == tags.count)
            #expect(tags.count { tag in !SPCDraft.Tag.known.contains { $0.rawValue == tag } } == 1)
            #expect((2...5).contains(tags.count))
            requests.insert(tags)
        }
        #expect(requests.count > 10)
    }

    @Test("The newest protocol version that both sides support is used")
    func protocolVersion() throws {
        let bench = try Bench()
        for (versions, used) in [([1], 1), ([1, 2], 2), ([2, 1], 2), ([1, 2, 3], 2)] as [([UInt32], UInt32)] {
            let spc = try bench.device.makeSPC(
                certificate: bench.server.certificate,
                assetID: [1, 2],
                versions: versions
            ).spc
            #expect(try bench.server.open(spc)[.protocolVersionUsed] == bigEndian(used))
        }
    }

    @Test("The Media Playback State contains the creation date, the state and the session")
    func mediaPlaybackState() throws {
        let bench = try Bench()
        let session = bench.device.beginSession()
        for state in FPSDevice.PlaybackState.allCases {
            let spc = try bench.request(.init(session: session, playbackState: state)).spc
            let expected = bigEndian(UInt32(1_800_000_000)) + bigEndian(state.rawValue) + bigEndian(session.id)
            #expect(try bench.server.open(spc)[.mediaPlaybackState] == expected)
        }
        #expect(bench.device.beginSession() != session)
        #expect(try bench.request().session != bench.request().session, "a request without a session begins one")
    }

    @Test("A device uses the system clock by default")
    func systemClock() throws {
        let server = try TinyServer.rsa2048.get()
        let device = FPSDevice(profile: .iPhone, dask: .development(ask: server.ask))
        let spc = try device.makeSPC(certificate: server.certificate, assetID: [1, 2], versions: [1]).spc
        let state = try #require(try server.open(spc)[.mediaPlaybackState])
        #expect(number(state[0..<4]) > 1_700_000_000)
    }

    @Test("HU is constant for a device; with the adapter, HU is the ID of the adapter")
    func hu() throws {
        let bench = try Bench()
        func hu(_ output: DeviceProfile.Output) throws -> [UInt8] {
            try bench.server.open(try bench.request(.init(output: output)).spc).hu
        }
        let own = try hu(.local)
        #expect(own.count == 20)
        #expect(try hu(.local) == own)
        #expect(try hu(.airPlay) == own)
        #expect(try hu(.digitalAVAdapter) != own)
        #expect(own == bench.device.hu(for: .local))
        let other = try Bench(seed: 2)
        #expect(other.device.hu(for: .local) != own)
    }

    @Test("The streaming indicator is that of the output, AirPlay or the adapter")
    func output() throws {
        let bench = try Bench()
        for (output, indicator) in [
            (DeviceProfile.Output.airPlay, 0xabb0_256a_3184_3974), (.digitalAVAdapter, 0x5f9c_8132_b59f_2fde),
        ] as [(DeviceProfile.Output, UInt64)] {
            let spc = try bench.request(.init(output: output)).spc
            #expect(try bench.server.open(spc)[.streamingIndicator] == bigEndian(indicator))
        }
    }

    // swift-crypto generates the OAEP seed.
    #if !SwiftCrypto
    @Test("The same seed, clock and calls give the same SPC, byte for byte", arguments: DeviceProfile.all)
    func seeded(profile: DeviceProfile) throws {
        let first = try Bench(profile, seed: 7).request().spc
        let again = try Bench(profile, seed: 7).request().spc
        let other = try Bench(profile, seed: 8).request().spc
        #expect(first == again)
        #expect(first != other)
    }
    #endif

    @Test("Session secrets differ from SPC to SPC")
    func fresh() throws {
        let bench = try Bench()
        let spcs = try (0..<5).map { _ in try bench.server.open(try bench.request().spc) }
        #expect(Set(spcs.map(\.r1)).count == 5)
        #expect(Set(spcs.map { $0[.r2] }).count == 5)
        #expect(Set(spcs.map { $0[.antiReplaySeed] }).count == 5)
    }

    @Test("A fixed DASk works too")
    func fixedDASk() throws {
        let server = try TinyServer.rsa2048.get()
        let dask = SecretBytes(copying: (0..<16).map { 0x80 | $0 })
        let device = FPSDevice(profile: .mac, dask: .fixed(dask), random: .seeded(3))
        let spc = try device.makeSPC(certificate: server.certificate, assetID: [1, 2], versions: [1]).spc
        let payload = try server.open(spc)
        let session = try #require(payload[.sessionKeyAndR1])
        let plain = try AES128.decryptCBC(session[16...], key: dask, iv: session[..<16])
        #expect(Array(plain[80...]) == payload[.integrity])
        #expect(Array(plain[16..<36]) == device.hu(for: .local))
    }
}
