import Testing
import VirtualDevice

@Suite("Device profiles")
struct ProfileTests {
    @Test("Every profile is found by its name on the command line")
    func names() {
        let names = ["iphone", "ipad", "apple-tv", "mac", "watch", "vision-pro", "partner-tv", "vm"]
        #expect(DeviceProfile.all.map(\.name) == names)
        for name in names { #expect(DeviceProfile.named(name)?.name == name) }
        #expect(DeviceProfile.named("toaster") == nil)
    }

    @Test("Every profile gets a key", arguments: DeviceProfile.all)
    func getsKey(profile: DeviceProfile) throws {
        let key = try Bench(profile).key()
        try key.startPlaying()
        #expect(try key.givesTestKey)
    }

    @Test(
        "Device Identity and Device Info specify the kind of device",
        arguments: [
            ("iphone", 2, 0x8551_fd5e_31f4_79b3), ("ipad", 2, 0x8551_fd5e_31f4_79b3),
            ("apple-tv", 1, 0xc150_0767_c86c_1fae), ("mac", 3, 0x358c_41b1_ec78_f599),
            ("watch", 127, 0x5da8_6ac0_c571_55dc), ("vision-pro", 4, nil), ("partner-tv", 128, 0xc150_0767_c86c_1fae),
            ("vm", 3, 0x358c_41b1_ec78_f599),
        ] as [(String, UInt64, UInt64?)]
    )
    func kind(name: String, deviceClass: UInt64, type: UInt64?) throws {
        let bench = try Bench(try #require(DeviceProfile.named(name)))
        let spc = try bench.server.open(try bench.request().spc)
        let identity = try #require(spc[.deviceIdentity])
        #expect(identity.count == 36)
        #expect(number(identity[0..<4]) == 1)
        #expect(number(identity[4..<8]) == deviceClass)
        #expect(spc[.deviceInfo]?.count == type.map { _ in 16 })
        #expect(spc[.deviceInfo].map { number($0[0..<8]) } == type)
        #expect(spc[.deviceInfo].map { number($0[12..<16]) } ?? 1 == 1)
    }

    @Test("An OS version is encoded as 00, major, minor, patch; a partner device has none")
    func osVersions() throws {
        let iPhone = try Bench(.iPhone)
        let spc = try iPhone.server.open(try iPhone.request().spc)
        #expect(spc[.deviceIdentity]?[32...] == [0, 18, 4, 1])
        #expect(spc[.deviceInfo]?[8..<12] == [0, 18, 4, 1])
        let partner = try Bench(.partnerTV)
        let partnerSPC = try partner.server.open(try partner.request().spc)
        #expect(partnerSPC[.deviceIdentity]?[32...] == [0, 0, 0, 0])
        #expect(partnerSPC[.deviceInfo]?[8..<12] == [0, 0, 0, 0])
        #expect(partnerSPC[.streamingIndicator] == bigEndian(0xabb0_256a_3184_3974 as UInt64))
    }

    @Test("Only a virtual machine reports a version of VM information other than 0", arguments: DeviceProfile.all)
    func virtualMachine(profile: DeviceProfile) throws {
        let bench = try Bench(profile)
        let information = try #require(try bench.server.open(try bench.request().spc)[.vmDeviceInformation])
        #expect(information.count == 28)
        #expect(number(information[0..<4]) == (profile.name == "vm" ? 1 : 0))
        if profile.name == "vm" {
            #expect(information[4...] == [0, 0, 0, 3, 0, 15, 4, 0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 15, 3, 0, 0, 0, 0, 1])
        }
    }

    @Test("Only a Mac reports a Kext Deny List, in both places", arguments: DeviceProfile.all)
    func kextDenyList(profile: DeviceProfile) throws {
        let bench = try Bench(profile)
        let spc = try bench.server.open(try bench.request().spc)
        let isMac = profile.name == "mac" || profile.name == "vm"
        #expect(spc[.kextDenyListVersion] == (isMac ? [0, 0, 0, 31] : nil))
        let report = try #require(spc[.securityLevelReport])
        let level: UInt64 = profile.securityLevel == .main ? 0x4e7f_d924_21d5_88b4 : 0x32f0_0049_66a5_c4f8
        #expect(
            report == bigEndian(1 as UInt32) + bigEndian(0 as UInt32) + bigEndian(level) + [0, 0, 0, isMac ? 31 : 0]
        )
    }

    @Test("Capabilities are 128 bits, with the low bits last")
    func capabilities() throws {
        let phone = try Bench(.iPhone)
        #expect(
            try phone.server.open(try phone.request().spc)[.capabilities] == bigEndian(UInt64(0))
                + bigEndian(UInt64(0x3f))
        )
        let watch = try Bench(.appleWatch)
        #expect(
            try watch.server.open(try watch.request().spc)[.capabilities] == bigEndian(UInt64(0))
                + bigEndian(UInt64(0x10))
        )
    }

    @Test("A changed profile omits the blocks that are set to nil")
    func variant() throws {
        var profile = DeviceProfile.iPhone
        profile.capabilities = nil
        profile.identity = nil
        profile.info = nil
        profile.virtualMachine = nil
        profile.reportsSecurityLevel = false
        profile.sendsMediaPlaybackState = false
        profile.sendsEmptySync = false
        profile.reservedBlockCount = 0
        let bench = try Bench(profile)
        let spc = try bench.server.open(try bench.request().spc)
        let mandatory: [SPCDraft.Tag] = [
            .sessionKeyAndR1, .integrity, .antiReplaySeed, .r2, .assetID, .transactionID, .protocolVersionsSupported,
            .protocolVersionUsed, .streamingIndicator, .tagReturnRequest,
        ]
        #expect(Set(spc.blocks.map(\.tag)) == Set(mandatory.map(\.rawValue)))
    }
}
