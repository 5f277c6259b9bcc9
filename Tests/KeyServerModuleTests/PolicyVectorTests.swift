import FPSCrypto
import FPSMessages
import KeyServerModule
import Testing
import VectorFiles

/// The policies of TestVectors/policy, whose results were specified manually.
@Suite("Policy vectors")
struct PolicyVectorTests {
    @Test(
        "Each vector yields the key with its terms, or the specified refusal",
        arguments: try VectorFile.all(in: "policy")
    )
    func vectors(vector: VectorFile) throws {
        let spc = try #require(vector["spc-file"])
        let opened = try TestKeys.module().open(try VectorFile(path: String(spc.dropFirst(3))).message)
        let policy = try LicensePolicy(json: vector.message)
        let content = try #require(
            Content(
                key: TestKeys.contentKey,
                streamID: [UInt8](repeating: 0x51, count: 16),
                titleID: [UInt8](repeating: 0x71, count: 16)
            )
        )
        do {
            let license = try TestKeys.module().license(
                for: opened,
                content: content,
                policy: policy,
                wantsPersistable: vector["asks-for"] == "persistable",
                at: try #require(vector["now"].flatMap { Int64($0) }),
                remoteAddress: vector["remote-address"],
                origin: vector["origin"]
            )
            #expect(vector.isSuccess, "\(vector.name) must be refused")
            let payload = try CKCReader(try #require(opened.sessionSecrets)).payload(of: license.ckc)
            let found = facts(license, payload)
            for fact in Set(found.keys).union(vector.headers.keys).subtracting(Self.inputs) {
                #expect(found[fact] == vector[fact], "\(vector.name): \(fact)")
            }
        } catch let error as KSMError {
            #expect(error.code.rawValue == vector.error, "\(vector.name): \(error)")
            #expect(error.stage.rawValue == vector.stage, "\(vector.name)")
        }
    }

    private static let inputs: Set<String> = [
        "description", "expect", "spc-file", "asks-for", "now", "remote-address", "origin",
    ]

    private func facts(_ license: License, _ payload: CKCPayload) -> [String: String] {
        func hex(_ number: some FixedWidthInteger) -> String {
            withUnsafeBytes(of: number.bigEndian) { VectorFile.hexadecimal($0) }
        }
        var facts = ["persistable": license.terms.isPersistable ? "yes" : "no"]
        if let duration = payload.contentKeyDuration {
            facts["duration-key-type"] = hex(duration.keyType.rawValue)
            facts["duration-lease"] = "\(duration.lease)"
            facts["duration-rental"] = "\(duration.rental)"
        }
        if let key = payload.offlineKey {
            facts["offline-key-version"] = "\(key.version)"
            facts["offline-key-storage-duration"] = "\(key.storage)"
            facts["offline-key-playback-duration"] = "\(key.playback)"
        }
        facts["hdcp"] = payload.hdcpEnforcement.map { hex($0.level.rawValue) }
        facts["security-level"] = payload.requiredSecurityLevel.map { hex($0.level.rawValue) }
        return facts
    }
}
