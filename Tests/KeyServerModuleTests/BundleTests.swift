import FPSCrypto
import KeyServerModule
import Testing
import VectorFiles

@Suite("Certificate bundles")
struct BundleTests {
    @Test("A production bundle cannot use a development DASk")
    func development() throws {
        let fixed = try #require(FixedDASk(SecretBytes(copying: [UInt8](repeating: 1, count: 16))))
        let ours = try #require(DevelopmentDASk(ask: TestKeys.ask))
        for dask in [fixed, ours] as [any DASkProvider] {
            #expect(throws: Never.self) { try TestKeys.bundle("test-rsa-2048", dask: dask) }
            let error = #expect(throws: BundleError.self) {
                try TestKeys.bundle("test-rsa-2048", dask: dask, kind: .production)
            }
            #expect(error?.code == .developmentDASk)
        }
    }

    @Test("The private key must match the certificate and have a supported size")
    func keys() throws {
        let certificate = try X509Certificate(try TestKeys.file("test-rsa-2048.der"))
        func bundle(_ key: RSAPrivateKey) -> BundleError.Code? {
            do {
                _ = try CertificateBundle(
                    name: "b",
                    kind: .development,
                    certificate: certificate,
                    privateKey: key,
                    derivation: .none
                )
                return nil
            } catch {
                return error.code
            }
        }
        #expect(bundle(try RSAPrivateKey(try TestKeys.file("test-rsa-2048.pem"))) == nil)
        #expect(bundle(try RSAPrivateKey(try TestKeys.file("test-rsa-2048-other.pem"))) == .keyMismatch)
        #expect(bundle(try RSAPrivateKey.generate(bits: 3072)) == .keySize)
    }

    @Test("The certificate hash selects the bundle, and two bundles cannot have the same certificate")
    func several() throws {
        let module = try TestKeys.module()
        for (spc, name) in [("v1-iphone", "test-rsa-1024"), ("v2-iphone", "test-rsa-2048")] {
            #expect(try module.open(try VectorFile(path: "spc/\(spc).txt").message).bundle.name == name)
        }
        let twice = try [TestKeys.bundle("test-rsa-2048"), TestKeys.bundle("test-rsa-2048")]
        let error = #expect(throws: BundleError.self) { try KSM(bundles: twice) }
        #expect(error?.code == .duplicateCertificate)
    }

    @Test("An expired application certificate causes a note, not a refusal")
    func expiredCertificate() throws {
        let opened = try TestKeys.module().open(try VectorFile(path: "spc/v2-iphone.txt").message)
        func notes(at now: Int64) throws -> [Note] {
            try TestKeys.module { $0.maximumSPCAge = nil }.license(
                for: opened,
                content: Content(key: TestKeys.contentKey)!,
                policy: .default,
                wantsPersistable: false,
                at: now
            ).notes
        }
        let end = opened.bundle.certificate.notAfter
        #expect(try !notes(at: end).contains(.certificateExpired(bundle: "test-rsa-2048")))
        #expect(try notes(at: end + 1).contains(.certificateExpired(bundle: "test-rsa-2048")))
    }

    @Test("DASk and ASk have 16 bytes")
    func sizes() {
        for count in [0, 15, 17, 32] {
            let wrong = SecretBytes(copying: [UInt8](repeating: 1, count: count))
            #expect(FixedDASk(wrong) == nil)
            #expect(DevelopmentDASk(ask: wrong) == nil)
        }
    }

    @Test("The descriptions of a bundle and an opened SPC contain no secret")
    func silence() throws {
        let vector = try VectorFile(path: "spc/v2-iphone.txt")
        let opened = try TestKeys.module().open(vector.message)
        var dumped = ""
        dump(opened, to: &dumped)
        dumped += "\(opened) \(opened.bundle) \(TestKeys.contentKey)"
        for secret in [
            vector.bytes("sk")!, vector.bytes("r1")!, TestKeys.contentKey.key.reveal(), TestKeys.ask.reveal(),
        ] {
            #expect(!dumped.contains(VectorFile.hexadecimal(secret)))
            #expect(!dumped.contains(secret.map { "\($0)" }.joined(separator: ", ")))
        }
    }
}
