import AsyncHTTPClient
import DRMSignalling
import FPSCrypto
import Foundation
import KeyStore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import Testing

@testable import KeyServer

@Suite("Encoders with certificates")
struct SPEKECertificateTests {
    /// What an encoder with these TLS files is answered; nil where the connection comes to nothing.
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
        request.body = .bytes(ByteBuffer(bytes: spekeQuestion().xml))
        let answer = try? await client.execute(request, timeout: .seconds(120))
        try? await client.shutdown()
        return answer?.status.code
    }

    @Test("A certificate of the authority is an encoder's, another is not let in, and without one a token is needed")
    func certificates() async throws {
        let files = try CertificateFiles()
        defer { files.remove() }
        try files.replace("server")
        let key = try RSAPrivateKey.generate(bits: 2_048)
        let known = try X509Certificate.selfSigned(subject: "Encoder 1", key: key, days: 2)
        let unknown = try X509Certificate.selfSigned(subject: "Encoder 1", key: key, days: 3)
        let authorities = files.folder.appendingPathComponent("clients.pem").path
        try Data(known.pem.utf8).write(to: URL(fileURLWithPath: authorities))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let store = InMemoryKeyStore()
        let router = Listener.makeRouter()
        Administration(store: store, authenticator: SingleAdminToken(LicenseServer.token)).add(to: router)
        let certificate = try ServerCertificate(certificate: files.certificate, key: files.key, logger: logger)
        try await withListener(router, certificate: certificate, clientAuthorities: authorities, logger) { port, _ in
            #expect(await status(port, (known, key)) == 200)
            #expect(await status(port, (unknown, key)) == nil)
            #expect(await status(port, nil) == 401)
            #expect(await status(port, nil, token: LicenseServer.token) == 200)
        }
        let entries = try await store.auditEntries(before: nil, limit: 10).map { $0.record.detail ?? "" }
        #expect(entries.last?.hasPrefix("by certificate CN=Encoder 1: ") == true)
        #expect(entries.first?.hasPrefix("by admin-token: ") == true)
    }
}
