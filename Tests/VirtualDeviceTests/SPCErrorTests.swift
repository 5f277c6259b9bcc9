import FPSCrypto
import Foundation
import Testing
import VirtualDevice

#if !SwiftCrypto
import ServerCrypto
#endif

@Suite("Errors when creating an SPC")
struct SPCErrorTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    private func code(certificate: [UInt8]?, assetID: [UInt8]?, versions: [UInt32]?) -> Int32? {
        do {
            _ = try bench.device.makeSPC(certificate: certificate, assetID: assetID, versions: versions)
            return 0
        } catch {
            return error.code
        }
    }

    @Test("Missing arguments have separate codes")
    func missing() {
        #expect(code(certificate: nil, assetID: nil, versions: nil) == -42672)
        #expect(code(certificate: bench.server.certificate, assetID: nil, versions: nil) == -42673)
        #expect(code(certificate: bench.server.certificate, assetID: [1, 2], versions: nil) == -42674)
    }

    @Test("An asset ID has 2 to 200 bytes")
    func assetID() {
        for (count, expected) in [(0, -42675), (1, -42675), (2, 0), (200, 0), (201, -42675)] as [(Int, Int32)] {
            let assetID = [UInt8](repeating: 7, count: count)
            #expect(code(certificate: bench.server.certificate, assetID: assetID, versions: [1]) == expected)
        }
    }

    @Test(
        "A version list is not empty, without 0 and doubles, and has a version that the device supports",
        arguments: [[], [0], [1, 1], [3], [UInt32.max]] as [[UInt32]]
    )
    func versions(list: [UInt32]) {
        #expect(code(certificate: bench.server.certificate, assetID: [1, 2], versions: list) == -42681)
    }

    @Test("A certificate must be DER")
    func certificate() throws {
        let good = bench.server.certificate
        #expect(code(certificate: [], assetID: [1, 2], versions: [1]) == -42679)
        #expect(code(certificate: Array(good.dropLast()), assetID: [1, 2], versions: [1]) == -42679)
        #expect(code(certificate: good + [0], assetID: [1, 2], versions: [1]) == -42679)
        #expect(code(certificate: Array(repeating: 0x30, count: 900), assetID: [1, 2], versions: [1]) == -42679)
        let base64 = Data(good).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let pem = Array("-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n".utf8)
        #expect(code(certificate: pem, assetID: [1, 2], versions: [1]) == -42679)
    }

    @Test("The device must support the certificate's key")
    func keySize() throws {
        var profile = DeviceProfile.iPhone
        profile.spcVersions = [1]
        let old = try Bench(profile)
        #expect(throws: FPSError.invalidCertificate) { try old.request() }
        _ = try Bench(profile, server: TinyServer.rsa1024).request()
    }

    #if !SwiftCrypto
    @Test("Keys of other sizes are not supported")
    func oddKeySize() throws {
        let key = try RSAPrivateKey.generate(bits: 1536)
        let odd = try X509Certificate.selfSigned(subject: "Odd", key: key, days: 1).der
        #expect(code(certificate: odd, assetID: [1, 2], versions: [1]) == -42679)
    }

    @Test("An expired certificate is accepted")
    func expired() throws {
        let key = bench.server.privateKey
        let old = try X509Certificate.selfSigned(subject: "Old", key: key, days: 1, notBefore: 1_000_000_000).der
        #expect(code(certificate: old, assetID: [1, 2], versions: [1]) == 0)
    }
    #endif

    @Test("A revoked certificate is refused, another one is not")
    func revoked() throws {
        bench.device.revoke(certificateHash: SHA1.hash(bench.server.certificate))
        #expect(code(certificate: bench.server.certificate, assetID: [1, 2], versions: [1]) == -42783)
        let other = try TinyServer.other.get().certificate
        #expect(code(certificate: other, assetID: [1, 2], versions: [1]) == 0)
    }

    @Test("Any other failure is a failure of SPC creation")
    func other() throws {
        let short = FPSDevice(profile: .iPhone, dask: .fixed(SecretBytes(copying: [1, 2, 3])), random: .seeded(1))
        #expect(throws: FPSError.spcCreationFailed) {
            try short.makeSPC(certificate: bench.server.certificate, assetID: [1, 2], versions: [1])
        }
        #expect(throws: FPSError.spcCreationFailed) {
            try bench.request(.init(mutations: [.padding(.assetID, count: 3)]))
        }
        #expect(FPSError.spcCreationFailed.code == -42676)
    }

    @Test("Every code of the guide's tables belongs to one error")
    func codes() {
        let codes = FPSError.all.compactMap(\.code)
        let expected: [Int32] = [
            -42656, -42668, -42672, -42673, -42674, -42675, -42676, -42679, -42681, -42783, -42799, -42800, -42803,
            -42811,
        ]
        #expect(codes.sorted(by: >) == expected)
        #expect(Set(FPSError.all.map(\.name)).count == FPSError.all.count)
    }
}
