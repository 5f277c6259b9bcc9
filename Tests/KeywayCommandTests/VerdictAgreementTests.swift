import ArgumentParser
import FPSCrypto
import FPSMessages
import Foundation
import KeyServerModule
import OwnThreads
import Testing
import ToolSupport
import VirtualDevice

@testable import keyway

/// `keyway ckc open` must give the verdict of the device that sent the SPC. The device has the values of its own request;
/// the command reads them from the SPC with another implementation.
@Suite("Verdicts of keyway ckc open and of the virtual device", .ownThreads)
struct VerdictAgreementTests {
    private static let streamID = [UInt8](repeating: 7, count: 16)

    /// The terms of the CKCs, by name.
    private static let terms: [(name: String, contents: [any TLLVContent])] = {
        var random = SystemRandomNumberGenerator()
        let lease = ContentKeyDuration(lease: 60, keyType: .lease)
        let version1 = OfflineKey(streamID: streamID, storage: 9, playback: 9, titleID: nil)
        let version2 = OfflineKey(streamID: streamID, storage: 9, playback: 9, titleID: streamID)
        return [
            ("none", []), ("lease", [lease]), ("persistent", [ContentKeyDuration(keyType: .persistUnlimited)]),
            ("offline key 1", [version1]), ("offline key 2", [version2]), ("both", [lease, version2]),
            ("Main", [RequiredSecurityLevel(.main), lease]), ("Baseline", [RequiredSecurityLevel(.baseline), lease]),
            ("unknown level", [RequiredSecurityLevel(SecurityLevel(rawValue: 1)), lease]),
            ("Type 1", [HDCPEnforcement(.type1, using: &random), lease]),
            ("unknown HDCP", [HDCPEnforcement(.init(rawValue: 1), using: &random), lease]),
        ]
    }()

    /// The profiles, and changes that leave out what the verdict depends on.
    private static let profiles: [DeviceProfile] = {
        var (bare, byBits, unknownBits) = (DeviceProfile.iPhone, DeviceProfile.iPhone, DeviceProfile.iPhone)
        (bare.name, byBits.name, unknownBits.name) = ("no blocks", "level by bits", "other bits")
        (bare.capabilities, bare.reportsSecurityLevel, bare.sendsMediaPlaybackState) = (nil, false, false)
        byBits.reportsSecurityLevel = false
        byBits.capabilities = [.securityLevelBaseline, .offlineKey]
        byBits.securityLevel = .baseline
        unknownBits.capabilities = .init(rawValue: 1 << 40 | 1 << 3)
        return DeviceProfile.all + [bare, byBits, unknownBits]
    }()

    @Test(
        "are equal for every device, playback state and CKC",
        arguments: profiles,
        FPSDevice.PlaybackState.allCases
    )
    func agreement(profile: DeviceProfile, state: FPSDevice.PlaybackState) throws {
        let tool = try Tool()
        let ask = try HexArgument(argument: "@\(Keys.path("test-ask.hex"))").secret(16, option: "--ask")
        let device = FPSDevice(profile: profile, dask: .development(ask: ask), random: .seeded(1))
        let certificate = try tool.content(Keys.path("test-rsa-2048.der"))
        for (name, contents) in Self.terms {
            let request = try device.makeSPC(
                certificate: certificate,
                assetID: Array("movie".utf8),
                versions: [1],
                options: .init(playbackState: state)
            )
            let file = InputPath(argument: try tool.file("a.spc", request.spc))
            let exchange = try OpenedExchange(spc: file, try OpeningOptions.parse(Self.options))
            let ckc = try Self.ckc(for: exchange, contents)
            let verification = CKCVerification(ckc: ckc, for: exchange)
            let label = "\(profile.name), \(state), \(name)"
            do throws(FPSError) {
                _ = try device.process(ckc: ckc, for: request)
                #expect(verification.isAccepted, "\(label): \(verification.firstFailure?.failure.reason ?? "")")
            } catch {
                #expect(verification.firstFailure?.failure.number == error.code, "\(label): \(error)")
                #expect(verification.firstFailure?.failure.reason == error.reason, "\(label)")
            }
        }
    }

    private static let options = [
        "--private-key", Keys.path("test-rsa-2048.pem"), "--ask", "@\(Keys.path("test-ask.hex"))",
    ]

    /// Returns a CKC with a content key and other contents.
    private static func ckc(for spc: OpenedExchange, _ contents: [any TLLVContent]) throws -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        let sessionKey = try #require(spc.session.sessionKey)
        let key = EncryptedContentKey(
            iv: [UInt8](repeating: 1, count: 16),
            encryptedKey: try AES128.encryptBlock(
                SecretBytes(copying: [UInt8](repeating: 2, count: 16)),
                key: sessionKey
            )
        )
        let all: [any TLLVContent] = [key, R1(spc.r1.reveal())] + contents
        let payload = CKCPayload.assemble(
            own: all.map { $0.block(using: &random) },
            returned: spc.payload.tagReturnRequest.tags.compactMap { spc.payload.blocks[$0] },
            using: &random
        )
        let iv = [UInt8](repeating: 3, count: 16)
        let encrypted = try AES128.encryptCBC(payload, key: spc.payloadKey, iv: iv)
        return CKCMessage(iv: iv, encryptedPayload: encrypted).encoded
    }
}
