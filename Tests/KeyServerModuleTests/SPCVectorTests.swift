import FPSCrypto
import FPSMessages
import KeyServerModule
import Testing
import VectorFiles

/// Tests of steps 1 to 6 with the whole SPCs of TestVectors/, which a second implementation created.
@Suite("SPC vectors")
struct SPCVectorTests {
    private func open(_ vector: VectorFile) throws(KSMError) -> OpenedSPC {
        let module: KSM
        do {
            module = try TestKeys.module(dask: TestKeys.dask(of: vector)) { configuration in
                if let versions = vector.list("server-versions") {
                    configuration.protocolVersions = Set(versions.compactMap { UInt32($0) })
                }
            }
        } catch {
            throw KSMError(.container, .libraryFailure, "\(error)")
        }
        return try module.open(vector.message)
    }

    @Test(
        "Each vector is opened with the specified values, or fails at the specified stage with the specified code",
        arguments: try VectorFile.all(in: "spc")
    )
    func vectors(vector: VectorFile) throws {
        do {
            let opened = try open(vector)
            #expect(vector.isSuccess, "\(vector.name) must be refused")
            #expect(opened.hu == vector.bytes("hu"))
            #expect(opened.version.description == vector["spc-version"])
            #expect(opened.request.assetID.bytes == vector.bytes("asset-id"))
            #expect(opened.bundle.certificate.sha1 == vector.bytes("certificate-hash"))
            #expect((opened.syncReport != nil) == (vector["sync-spc"] == "yes"))
            #expect(opened.device.isVirtualMachine == (vector["virtual-machine"] == "yes"))
            let isOutdated = opened.notes.contains { if case .newerProtocolVersion = $0 { true } else { false } }
            #expect(isOutdated == (vector["version-decision"] == "serve-server-outdated"))
            let secrets = try #require(opened.sessionSecrets)
            #expect(secrets.sessionKey.reveal() == vector.bytes("sk"))
            #expect(secrets.r1.reveal() == vector.bytes("r1"))
        } catch let error as KSMError {
            #expect(!vector.isSuccess, "\(vector.name): \(error)")
            #expect(error.code.rawValue == vector.error, "\(vector.name): \(error)")
            #expect(error.stage.rawValue == vector.stage, "\(vector.name): \(error)")
        }
    }

    @Test(
        "Every truncation and every extra byte of an SPC is refused",
        arguments: ["v1-iphone", "v2-iphone"]
    )
    func truncations(name: String) throws {
        let vector = try VectorFile(path: "spc/\(name).txt")
        let module = try TestKeys.module()
        #expect(throws: Never.self) { try module.open(vector.message) }
        for count in 0..<vector.message.count {
            #expect(throws: KSMError(.container, .init(rawValue: "truncated"), "")) {
                try module.open(Array(vector.message.prefix(count)))
            }
        }
        #expect(throws: KSMError.self) { try module.open(vector.message + [0]) }
    }

    @Test(
        "Every flipped bit in the version, RSA block, hash and length is refused",
        arguments: ["v1-minimal", "v2-minimal"]
    )
    func flippedHeaders(name: String) throws {
        let vector = try VectorFile(path: "spc/\(name).txt")
        let module = try TestKeys.module()
        let rsa = name.hasPrefix("v1") ? 128 : 256
        // The reserved bytes are excluded because they are ignored, and the IV because it changes only the tag of the
        // first block.
        let fields = [0..<4, 24..<24 + rsa, 24 + rsa..<48 + rsa]
        for field in fields {
            for byte in field {
                var wrong = vector.message
                wrong[byte] ^= 1 << UInt8(byte % 8)
                #expect(throws: KSMError.self, "byte \(byte)") { try module.open(wrong) }
            }
        }
    }

    @Test("Flipping any bit of the encrypted payload never traps")
    func flippedPayload() throws {
        let vector = try VectorFile(path: "spc/v1-minimal.txt")
        let module = try TestKeys.module()
        for byte in 176..<vector.message.count {
            var wrong = vector.message
            wrong[byte] ^= 0x80 >> UInt8(byte % 8)
            if let opened = try? module.open(wrong) {
                // In CBC a flipped bit garbles one block and flips a bit of the next block: padding, a transaction ID,
                // an asset ID.
                #expect(opened.hu.count == 20)
            }
        }
    }

    @Test("Errors that would help an attacker are distinguishable only for the operator")
    func unreadable() throws {
        for vector in try VectorFile.all(in: "spc") where !vector.isSuccess {
            let error = #expect(throws: KSMError.self) { try open(vector) }
            let secretStages = ["key", "payload", "session-key", "integrity"]
            #expect(error?.isUnreadable == secretStages.contains(vector.stage ?? ""), "\(vector.name)")
        }
    }
}
