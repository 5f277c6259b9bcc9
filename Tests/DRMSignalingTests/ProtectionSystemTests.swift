import DRMSignaling
import Testing

@Suite("Protection systems")
struct ProtectionSystemTests {
    @Test("A list of names is parsed")
    func lists() throws {
        #expect(try ProtectionSystem.parse(list: "fairplay,common") == [.fairPlay, .common])
        #expect(try ProtectionSystem.parse(list: "common,fairplay") == [.common, .fairPlay])
        #expect(try ProtectionSystem.parse(list: " FairPlay , ClearKey ") == [.fairPlay, .common])
        #expect(try ProtectionSystem.parse(list: "common,clearkey,common") == [.common])
        #expect(try ProtectionSystem.parse(list: "identity") == [.identity])
        let all = "fairplay,widevine,playready,clearkey"
        #expect(try ProtectionSystem.parse(list: all) == [.fairPlay, .widevine, .playReady, .common])
    }

    @Test("The error for an unknown name contains it and the known ones")
    func unknown() {
        let error = failure { () throws(SignalingError) in
            _ = try ProtectionSystem.parse(list: "fairplay,firplay")
        }
        #expect(error?.code == .unknownSystem)
        #expect(error?.reason.contains("“firplay”") == true)
        #expect(error?.reason.contains("fairplay, widevine, playready, common, identity") == true)
        for list in ["", "fairplay,", ",", "fairplay common"] {
            let error = failure { () throws(SignalingError) in _ = try ProtectionSystem.parse(list: list) }
            #expect(error?.code == .unknownSystem, "\(list)")
        }
    }

    @Test("A clear key cannot be combined with a DRM system")
    func conflict() {
        let error = failure { () throws(SignalingError) in
            _ = try ProtectionSystem.parse(list: "fairplay,identity")
        }
        #expect(error?.code == .conflictingSystems)
    }

    /// The UUIDs registered with DASH-IF and the W3C.
    @Test("System IDs are the registered ones")
    func registered() {
        #expect(SystemID.fairPlay.bytes == hex("94ce86fb07ff4f43adb893d2fa968ca2"))
        #expect(SystemID.common.bytes == hex("1077efecc0b24d02ace33c1e52e2fb4b"))
        #expect("\(SystemID.fairPlay)" == "94ce86fb-07ff-4f43-adb8-93d2fa968ca2")
        #expect(ProtectionSystem.fairPlay.systemID == .fairPlay)
        #expect(ProtectionSystem.common.systemID == .common)
        #expect(ProtectionSystem.identity.systemID == nil)
        #expect(ProtectionSystem.widevine.systemID?.bytes == hex("edef8ba979d64acea3c827dcd51d21ed"))
        #expect(ProtectionSystem.playReady.systemID?.bytes == hex("9a04f07998404286ab92e65be0885f95"))
    }
}
