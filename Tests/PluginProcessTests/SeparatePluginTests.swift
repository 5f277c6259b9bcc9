import FPSCrypto
import FPSMessages
import Foundation
import KeyServerModule
import OwnThreads
import Synchronization
import Testing
import VectorFiles

@testable import KeyServer

/// Tests of the providers with the example plug-in in a real process.
@Suite("A plug-in in a process of its own", .timeLimit(.minutes(10)), .ownThreads)
struct SeparatePluginTests {
    private static func file(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: VectorFile.root.appending(path: "keys/\(name)")))
    }

    private static func ask() throws -> SecretBytes {
        let text = String(decoding: try file("test-ask.hex"), as: UTF8.self)
        return SecretBytes(
            copying: VectorFile.bytes(hexadecimal: text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? []
        )
    }

    private static func plugin(_ configuration: String) throws -> SeparatePlugin {
        try SeparatePlugin(
            PluginLoading(
                memory: 0,
                path: try TestPlugin.example.get(),
                configuration: configuration,
                ask: try ask(),
                provisioningData: try ask()
            ),
            settings: TestPlugin.settings
        )
    }

    private static func module(
        _ derivation: CertificateBundle.KeyDerivation,
        _ wholeSPC: (any WholeSPCProvider)? = nil
    ) throws -> KSM {
        let bundle = try CertificateBundle(
            name: "plug-in",
            kind: .production,
            certificate: X509Certificate(try file("test-rsa-2048.der")),
            privateKey: RSAPrivateKey(try file("test-rsa-2048.pem")),
            derivation: derivation,
            wholeSPC: wholeSPC
        )
        return try KSM(bundles: [bundle])
    }

    private static let contentKey = LicensedKey(key: SecretBytes(copying: Array(0..<16)), iv: Array(16..<32))!

    @Test("It opens SPCs and encrypts content keys", arguments: ["derive", "derive serial", "key-payload"])
    func opens(configuration: String) throws {
        let vector = try VectorFile(path: "spc/v2-iphone.txt")
        let plugin = try Self.plugin(configuration)
        #expect(plugin.summary.isSerial == configuration.contains("serial"))
        let module = try Self.module(plugin.derivation, plugin.wholeSPC)
        let opened = try module.open(vector.message)
        #expect(opened.hu == vector.bytes("hu"))
        _ = try module.license(
            for: opened,
            content: Content(key: Self.contentKey)!,
            policy: .default,
            wantsPersistable: false,
            at: 1_767_225_600
        )
        // A forged SPC has the same error as without a process.
        let forged = try VectorFile(path: "spc/v2-integrity-altered.txt").message
        let error = #expect(throws: KSMError.self) { try module.open(forged) }
        #expect(error?.isUnreadable == true)
    }

    @Test("It returns the session values and the encrypted content key")
    func keyPayload() throws {
        guard case .keyPayload(let provider) = try Self.plugin("key-payload").derivation else { throw Unexpected() }
        var random = SeededRandom(seed: 5)
        let (clear, r2, iv) = (random.bytes(96), R2(random.bytes(21)), random.bytes(16))
        let dask = try #require(DevelopmentDASk(ask: try Self.ask())).dask(r2: r2)
        var encrypted = clear
        try AES128.encryptCBC(inPlace: &encrypted, key: dask, iv: iv)
        let payload = KeyPayload(
            sessionKeyAndR1: SessionKeyAndR1(iv: iv, encryptedPayload: encrypted),
            integrity: SessionKeyAndR1Integrity(Array(clear[80...])),
            r2: r2,
            certificateHash: random.bytes(20)
        )
        let opened = try provider.open(payload, contentKey: Self.contentKey)
        #expect(opened.hu == Array(clear[16..<36]))
        #expect(opened.r1.reveal() == Array(clear[36..<80]))
        let sessionKey = SecretBytes(copying: clear[..<16])
        let key = try AES128.encryptBlock(Self.contentKey.key, key: sessionKey)
        #expect(opened.encryptedContentKey?.encryptedKey == key)
        #expect(opened.encryptedContentKey?.iv == Self.contentKey.iv)
        #expect(try provider.open(payload, contentKey: nil).encryptedContentKey == nil)
    }

    @Test("It opens whole SPCs of version 3 and creates their CKCs")
    func wholeSPC() throws {
        let plugin = try Self.plugin("spc-3")
        #expect(plugin.summary.capabilities == [.spcVersion3])
        let module = try Self.module(plugin.derivation, plugin.wholeSPC)
        var random = SeededRandom(seed: 3)
        let key = SecretBytes(count: 16, randomFrom: &random)
        let asset = try #require(AssetID(Array("movie".utf8)))
        let hash = try X509Certificate(try Self.file("test-rsa-2048.der")).sha1
        let hu = [UInt8](repeating: 7, count: 20)
        let state = MediaPlaybackState(creationDate: 1_767_225_600, state: .readyToStart, sessionID: 1)
        let spc =
            [0, 0, 0, 3] + hash + hu + key.reveal() + asset.block(using: &random).encoded
            + state.block(using: &random).encoded
        for _ in 0..<3 {
            let opened = try module.open(spc)
            #expect(opened.request.assetID == asset)
            let license = try module.license(
                for: opened,
                content: Content(key: Self.contentKey)!,
                policy: .default,
                wantsPersistable: false,
                at: 1_767_225_600
            )
            #expect(try AES128.decryptBlock(license.ckc[4..<20], key: key) == Self.contentKey.key.reveal())
        }
        #expect(throws: KSMError(.sessionKey, .keyPayloadInvalid, "")) { try module.open(Array(spc.prefix(59))) }
    }

    @Test("Calls from many threads are answered with their own replies")
    func concurrency() async throws {
        var settings = TestPlugin.settings
        settings.calls = 3
        let plugin = try TestPlugin.load(settings: settings)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for byte in UInt8(0)..<64 {
                group.addTask {
                    let dask = try plugin.derive(.good, byte)
                    #expect(dask == [0] + [UInt8](repeating: byte, count: 15))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("The process has only its sockets, no environment, and no core dumps")
    func surroundings() throws {
        var settings = TestPlugin.settings
        settings.calls = 2
        settings.environment = []
        // A descriptor that exec does not close.
        let leaked = fcntl(open("/proc/self/exe", O_RDONLY), F_DUPFD, 100)
        defer { close(leaked) }
        let facts = try TestPlugin.load(settings: settings).derive(.describesProcess)
        // Three standard streams, three sockets, and the file with the size of the memory.
        #expect(facts[4..<8] == [0, 0, 0, 7])
        #expect(facts[8..<12] == [0, 0, 0, 0])
        #expect(facts[12..<16] == [0, 0, 0, 1])
    }

    @Test("The process ends with its last user, and is not left as a zombie")
    func ends() async throws {
        let number: pid_t
        do {
            let plugin = try TestPlugin.load()
            let facts = try plugin.derive(.describesProcess)
            number = facts[..<4].reduce(0) { $0 << 8 | pid_t($1) }
            #expect(kill(number, 0) == 0)
        }
        try await eventually("the process ends") { kill(number, 0) == -1 && errno == ESRCH }
    }

    @Test("An SPC that a process has opened cannot be used after its end")
    func lostSession() async throws {
        let plugin = try Self.plugin("spc-3")
        let provider = try #require(plugin.wholeSPC)
        let spc: [UInt8] = [0, 0, 0, 3] + [UInt8](repeating: 1, count: 60)
        let session = try provider.open(spc: spc)
        let (_, process) = try plugin.call(.release(session: 99))
        process.end()
        try await eventually("the next process is ready") { (try? provider.open(spc: spc)) != nil }
        #expect(throws: KSMError(.sessionKey, .daskUnavailable, "")) {
            try session.seal(contentKey: Self.contentKey, terms: [])
        }
    }

    @Test("A file that is not a plug-in is refused with the loader's reason")
    func notAPlugin() throws {
        let missing = PluginLoading(memory: 0, path: "/nowhere/plugin.so")
        let error = #expect(throws: BundleError.self) {
            try SeparatePlugin(missing, settings: TestPlugin.settings)
        }
        #expect(error?.reason.contains("/nowhere/plugin.so") == true)
        var settings = TestPlugin.settings
        settings.executable = "/nowhere/keyway-server"
        let noProcess = #expect(throws: BundleError.self) { try TestPlugin.load(settings: settings) }
        #expect(noProcess?.reason.contains("cannot be started: No such file") == true)
        settings.executable = "/bin/true"
        let other = #expect(throws: BundleError.self) { try TestPlugin.load(settings: settings) }
        #expect(other?.reason.contains("exited with status 0 before the plug-in was ready") == true)
    }
}
