import FPSCrypto
import FPSMessages
import Foundation
import KeyServerModule

/// The input of a measurement: a module, an SPC of a current iPhone from TestVectors/, content and a policy.
struct Fixture {
    let name: String
    let module: KSM
    let spc: [UInt8]
    let raw: RawRSA
    let content: Content
    /// A policy with every setting that adds TLLVs.
    let policy = LicensePolicy(
        lease: Seconds(rawValue: 600),
        rental: Seconds(rawValue: 172_800),
        hdcp: .type0,
        securityLevel: .main,
        virtualMachines: .deny
    )
    /// The creation time of the vectors' SPCs.
    let now: Int64 = 1_767_225_600

    struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    init(bits: Int) throws {
        let vectors = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "TestVectors")
        func file(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: vectors.appending(path: path))) }
        func text(_ path: String) throws -> String { String(decoding: try file(path), as: UTF8.self) }

        let vector = try text("spc/v\(bits / 1024)-iphone.txt")
        let body = vector.components(separatedBy: "\n\n")[1].filter { $0 != "\n" }
        let ask = try text("keys/test-ask.hex").trimmingCharacters(in: .whitespacesAndNewlines)
        guard let spc = Data(base64Encoded: body), let ask = UInt128(ask, radix: 16) else {
            throw Unusable(description: "the test vectors cannot be read")
        }
        self.spc = [UInt8](spc)
        let key = try RSAPrivateKey(try file("keys/test-rsa-\(bits).pem"))
        guard let dask = DevelopmentDASk(ask: SecretBytes(copying: withUnsafeBytes(of: ask.bigEndian) { Array($0) })),
            let contentKey = LicensedKey(key: SecretBytes(copying: Array(0..<16)), iv: Array(16..<32)),
            let content = Content(key: contentKey),
            let raw = RawRSA(
                privateKeyDER: try key.encodedPKCS8().reveal(),
                ciphertext: try SPCMessage(parsing: self.spc).encryptedKey
            ), raw.decrypt()
        else { throw Unusable(description: "the test keys do not match the vectors") }
        let bundle = try CertificateBundle(
            name: "benchmark",
            kind: .development,
            certificate: X509Certificate(try file("keys/test-rsa-\(bits).der")),
            privateKey: key,
            derivation: .dask(dask)
        )
        // The configuration of a server in production, for any build of this benchmark.
        var configuration = KSM.Configuration()
        configuration.checksBeforeIssuing = false
        name = "RSA-\(bits)"
        module = try KSM(bundles: [bundle], configuration: configuration)
        self.content = content
        self.raw = raw
    }

    /// Processes an SPC and returns the CKC.
    func answer() throws -> Int {
        let opened = try module.open(spc)
        return try module.license(for: opened, content: content, policy: policy, wantsPersistable: false, at: now).ckc
            .count
    }
}
