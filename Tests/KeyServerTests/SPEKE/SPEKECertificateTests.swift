import AsyncHTTPClient
import DRMSignaling
import FPSCrypto
import Foundation
import KeyServerModule
import KeyStore
import NIOCore
import NIOHTTP1
import NIOSSL
import ServerCrypto
import Testing

@testable import KeyServer

@Suite("Encoders with certificates", .timeLimit(.minutes(10)))
struct SPEKECertificateTests {
    /// Returns the response to an encoder with these TLS files; nil if there is no connection.
    private func status(_ port: Int, _ identity: (X509Certificate, RSAPrivateKey)?, token: String? = nil) async -> UInt?
    {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        if let (certificate, key) = identity, let pem = try? key.pem().reveal(),
            let certificate = try? NIOSSLCertificate(bytes: certificate.der, format: .der),
            let key = try? NIOSSLPrivateKey(bytes: pem, format: .pem)
        {
            tls.certificateChain = [.certificate(certificate)]
            tls.privateKey = .privateKey(key)
        }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .init(tlsConfiguration: tls))
        var request = HTTPClientRequest(url: "https://127.0.0.1:\(port)\(SPEKERoutes.path)")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/xml")
        request.headers.add(name: "X-Speke-Version", value: "2.0")
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        request.body = .bytes(ByteBuffer(bytes: spekeDocument().xml))
        let answer = try? await client.execute(request, timeout: .seconds(120))
        try? await client.shutdown()
        return answer?.status.code
    }

    /// A server with these TLS files, which requests certificates of these authorities from encoders.
    private func setup(_ files: CertificateFiles, authorities: URL) -> TestApplication {
        var setup = TestApplication()
        setup.configuration.tls.certificate = files.certificate
        setup.configuration.tls.key = files.key
        setup.configuration.tls.reload = Seconds(rawValue: 86_400)
        setup.configuration.admin.clientCA = authorities.path
        return setup
    }

    @Test(
        "A certificate of the authority has the role encoder, another is refused, and without one a token is required"
    )
    func certificates() async throws {
        let files = try CertificateFiles()
        defer { files.remove() }
        try files.replace("server")
        let key = try RSAPrivateKey.generate(bits: 2_048)
        let known = try X509Certificate.selfSigned(subject: "Encoder 1", key: key, days: 2)
        let unknown = try X509Certificate.selfSigned(subject: "Encoder 1", key: key, days: 3)
        let file = files.folder.appendingPathComponent("clients.pem")
        try Data(known.pem.utf8).write(to: file)
        let setup = setup(files, authorities: file)
        try await setup.run { running in
            let port = running.adminPort
            #expect(await status(port, (known, key)) == 200)
            #expect(await status(port, (unknown, key)) == nil)
            #expect(await status(port, nil) == 401)
            #expect(await status(port, nil, token: LicenseServer.token) == 200)
        }
        let entries = try await setup.store.auditEntries(before: nil, limit: 10).map { $0.record.detail ?? "" }
        #expect(entries.last?.hasPrefix("by certificate CN=Encoder 1: ") == true)
        #expect(entries.first?.hasPrefix("by admin-token: ") == true)
    }

    @Test(
        "New authorities replace the previous ones, and an invalid file changes nothing"
    )
    func authoritiesFollowed() async throws {
        let files = try CertificateFiles()
        defer { files.remove() }
        try files.replace("server")
        let key = try RSAPrivateKey.generate(bits: 2_048)
        let old = try X509Certificate.selfSigned(subject: "Encoder 1", key: key, days: 2)
        let new = try X509Certificate.selfSigned(subject: "Encoder 2", key: key, days: 3)
        let file = files.folder.appendingPathComponent("clients.pem")
        try Data(old.pem.utf8).write(to: file)
        let setup = setup(files, authorities: file)
        try await setup.run { running in
            let port = running.adminPort
            let tls = try #require(running.application.parts.tls)
            let (certificate, authorities) = (tls.certificate, try #require(tls.authorities))
            #expect(await status(port, (old, key)) == 200)
            #expect(await status(port, (new, key)) == nil)

            for damage in ["", "-----BEGIN CERTIFICATE-----\nnonsense\n"] {
                try Data(damage.utf8).write(to: file)
                #expect(!authorities.reload())
                #expect(!authorities.reload())
                #expect(await status(port, (old, key)) == 200)
                #expect(await status(port, (new, key)) == nil)
            }
            try FileManager.default.removeItem(at: file)
            #expect(!authorities.reload())
            #expect(await status(port, (old, key)) == 200)

            try Data((old.pem + new.pem).utf8).write(to: file)
            #expect(authorities.reload())
            #expect(await status(port, (old, key)) == 200)
            #expect(await status(port, (new, key)) == 200)
            try Data(new.pem.utf8).write(to: file)
            #expect(authorities.reload())
            #expect(await status(port, (old, key)) == nil)
            #expect(await status(port, (new, key)) == 200)
            // The listener's own certificate is still reloaded.
            try files.replace("other")
            #expect(certificate.reload())
            #expect(await status(port, (new, key)) == 200)
        }
        let lines = setup.log.text.split(separator: "\n")
        let invalid = lines.filter { $0.contains("clients' certificate authorities is not valid") }
        #expect(invalid.count == 2)
        #expect(invalid.last?.contains(#""reason": the file cannot be read"#) == true, "\(invalid)")
        let valid = lines.filter { $0.contains("checked against a new file") }
        let counts = [2, 1].map { count in valid.contains { $0.contains(#""certificates": \#(count)"#) } }
        #expect(valid.count == 2 && counts == [true, true], "\(valid)")
        #expect((invalid + valid).allSatisfy { $0.contains(#""file": \#(file.path)"#) })
    }
}
