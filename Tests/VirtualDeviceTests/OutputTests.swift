import Testing
import VirtualDevice

@Suite("HDCP and security levels")
struct OutputTests {
    static let none: UInt64 = 0xef72_894c_a789_5b78
    static let type0: UInt64 = 0x4079_1ac7_8bd5_c571
    static let type1: UInt64 = 0x285a_0863_bba8_e1d3

    @Test(
        "A key needs a display that protects enough; without an HDCP block it needs Type 0",
        arguments: [nil, none, type0, type1],
        [DeviceProfile.Display.unprotected, .hdcpType0, .hdcpType1]
    )
    func hdcp(level: UInt64?, display: DeviceProfile.Display) throws {
        let bench = try Bench()
        bench.device.display = display
        let request = try bench.request()
        let key = try bench.device.process(
            ckc: try bench.answer(request, level.map { [.hdcp($0)] } ?? []),
            for: request
        )
        let needed: DeviceProfile.Display =
            switch level {
            case Self.none: .unprotected
            case Self.type1: .hdcpType1
            default: .hdcpType0
            }
        if display >= needed {
            #expect(key.status == .ready)
            try key.startPlaying()
            #expect(try key.givesTestKey)
        } else {
            #expect(key.status == .outputRestricted)
            #expect(throws: FPSError.outputRestricted) { try key.startPlaying() }
            #expect(throws: FPSError.notPlaying) { try key.contentKey() }
        }
    }

    @Test("A display without sufficient HDCP restricts a key in use; a sufficient display makes it usable again")
    func display() throws {
        let bench = try Bench()
        let key = try bench.key(.hdcp(Self.type1))
        try key.startPlaying()
        bench.device.display = .hdcpType0
        #expect(key.status == .outputRestricted)
        #expect(throws: FPSError.outputRestricted) { try key.contentKey() }
        bench.device.display = .hdcpType1
        #expect(key.status == .playing)
        #expect(try key.givesTestKey)
        #expect(FPSError.outputRestricted.code == nil)
    }

    @Test(
        "A required security level above the device's is refused",
        arguments: [
            (0x17d9_9d57_4eed_567d, .baseline, true), (0x17d9_9d57_4eed_567d, .main, true),
            (0x32f0_0049_66a5_c4f8, .baseline, true), (0x32f0_0049_66a5_c4f8, .main, true),
            (0x4e7f_d924_21d5_88b4, .baseline, false), (0x4e7f_d924_21d5_88b4, .main, true),
        ] as [(UInt64, DeviceProfile.SecurityLevel, Bool)]
    )
    func securityLevel(required: UInt64, level: DeviceProfile.SecurityLevel, isEnough: Bool) throws {
        var profile = DeviceProfile.mac
        profile.securityLevel = level
        let bench = try Bench(profile)
        if isEnough {
            _ = try bench.key(.securityLevel(required))
        } else {
            #expect(throws: FPSError.securityLevelTooLow) { try bench.key(.securityLevel(required)) }
            #expect(throws: FPSError.securityLevelTooLow) {
                try bench.persistentKey(.securityLevel(required), .persistent)
            }
        }
        #expect(FPSError.securityLevelTooLow.code == -42811)
    }
}
