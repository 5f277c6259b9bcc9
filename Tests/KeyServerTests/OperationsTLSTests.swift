import FPSCrypto
import Foundation
import Logging
import NIOSSL
import Testing

@testable import KeyServer

@Suite("TLS", .timeLimit(.minutes(10)))
struct OperationsTLSTests {
    private func certificate(_ files: CertificateFiles, _ log: LogRecorder = LogRecorder()) throws -> ServerCertificate
    {
        try ServerCertificate(
            certificate: files.certificate,
            key: files.key,
            interval: .seconds(3_600),
            logger: Logger(label: "test") { _ in log }
        )
    }

    /// Returns whether a client that trusts only this certificate gets a response.
    private func isAnswered(_ port: Int, trusting root: NIOSSLCertificate) async -> Bool {
        let answer = try? await fetchSecurely(port, "/healthz") { tls in
            tls.trustRoots = .certificates([root])
            tls.certificateVerification = .noHostnameVerification
        }
        return answer == "ok\n"
    }

    @Test("A new connection uses the replaced certificate")
    func reload() async throws {
        let files = try CertificateFiles()
        defer { files.remove() }
        let old = try files.replace("old", days: 10)
        let log = LogRecorder()
        let certificate = try certificate(files, log)
        let oldExpiry = try #require(certificate.expiry)
        try await withOperationsServer(Listener.makeRouter(), certificate: certificate) { port, _ in
            #expect(await isAnswered(port, trusting: old))
            let new = try files.replace("new", days: 20)
            #expect(await isAnswered(port, trusting: old))
            #expect(certificate.reload())
            #expect(await isAnswered(port, trusting: new))
            #expect(await !isAnswered(port, trusting: old))
            #expect(certificate.expiry == oldExpiry + 10 * 86_400 || certificate.expiry ?? 0 > oldExpiry)
            // Unchanged files are not logged.
            #expect(certificate.reload())
        }
        let lines = log.text.split(separator: "\n").filter { $0.contains("a TLS certificate is in use") }
        #expect(lines.count == 2)
        for (line, expiry) in zip(lines, [oldExpiry, try #require(certificate.expiry)]) {
            #expect(line.contains(#""file": \#(files.certificate)"#), "\(line)")
            #expect(line.contains(#""expires": \#(LogLine.time(seconds: expiry))"#), "\(line)")
        }
    }

    @Test("Invalid new files leave the previous certificate in use, and the reason is logged once")
    func broken() async throws {
        let files = try CertificateFiles()
        defer { files.remove() }
        let old = try files.replace("old")
        let oldKey = try Data(contentsOf: URL(fileURLWithPath: files.key))
        let log = LogRecorder()
        let certificate = try certificate(files, log)
        try await withOperationsServer(Listener.makeRouter(), certificate: certificate) { port, _ in
            try files.replace("new")
            try oldKey.write(to: URL(fileURLWithPath: files.key))
            #expect(!certificate.reload())
            #expect(!certificate.reload())
            #expect(await isAnswered(port, trusting: old))
            try Data("-----BEGIN CERTIFICATE-----\nnonsense\n".utf8).write(to: URL(fileURLWithPath: files.certificate))
            #expect(!certificate.reload())
            try FileManager.default.removeItem(atPath: files.key)
            #expect(!certificate.reload())
            #expect(await isAnswered(port, trusting: old))
            let new = try files.replace("newest")
            #expect(certificate.reload())
            #expect(await isAnswered(port, trusting: new))
        }
        let complaints = log.text.split(separator: "\n").filter { $0.contains("the TLS certificate cannot be read") }
        #expect(complaints.count >= 2 && complaints.count <= 3, "\(complaints)")
        #expect(complaints.first?.contains(#""reason": the key does not belong to the certificate"#) == true)
        #expect(complaints.first?.contains(#""file": \#(files.certificate)"#) == true)
        #expect(complaints.first?.contains(#""key": \#(files.key)"#) == true)
        let keyText = String(decoding: oldKey, as: UTF8.self).split(separator: "\n").dropFirst().first ?? "-"
        #expect(!log.text.contains(keyText))
    }

    @Test("The server does not start with invalid files")
    func start() throws {
        let files = try CertificateFiles()
        defer { files.remove() }
        #expect(throws: (any Error).self) { try certificate(files) }
        try files.replace("a")
        try Data("x".utf8).write(to: URL(fileURLWithPath: files.key))
        #expect(throws: (any Error).self) { try certificate(files) }
    }

    @Test("TLS 1.2 and 1.3 are supported, 1.1 is refused, plain HTTP is not answered")
    func versions() async throws {
        let files = try CertificateFiles()
        defer { files.remove() }
        try files.replace("a")
        try await withOperationsServer(Listener.makeRouter(), certificate: try certificate(files)) { port, _ in
            for (version, isSpoken) in [(TLSVersion.tlsv1, false), (.tlsv11, false), (.tlsv12, true), (.tlsv13, true)] {
                let answer = try? await fetchSecurely(port, "/healthz") { tls in
                    tls.certificateVerification = .none
                    tls.minimumTLSVersion = version
                    tls.maximumTLSVersion = version
                }
                #expect((answer == "ok\n") == isSpoken, "\(version)")
            }
            let plain = try await fetch(port, "/healthz")
            #expect(plain.status == 0)
        }
    }

    @Test("TLS 1.2 uses only cipher suites with authenticated encryption")
    func suites() async throws {
        let files = try CertificateFiles()
        defer { files.remove() }
        try files.replace("a")
        let spoken: [NIOTLSCipher] = [
            .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        let refused: [NIOTLSCipher] = [
            .TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, .TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA, .TLS_RSA_WITH_AES_128_CBC_SHA,
            .TLS_RSA_WITH_AES_128_GCM_SHA256, .TLS_RSA_WITH_AES_256_GCM_SHA384,
        ]
        try await withOperationsServer(Listener.makeRouter(), certificate: try certificate(files)) { port, _ in
            for suite in spoken + refused {
                let answer = try? await fetchSecurely(port, "/healthz") { tls in
                    tls.certificateVerification = .none
                    tls.maximumTLSVersion = .tlsv12
                    tls.cipherSuiteValues = [suite]
                }
                #expect((answer == "ok\n") == spoken.contains(suite), "\(suite)")
            }
        }
    }

    @Test("Pages over TLS send HSTS, and pages over plain HTTP do not")
    func transportSecurity() async throws {
        let files = try CertificateFiles()
        defer { files.remove() }
        try files.replace("a")
        let pages: [(ServerMetrics.Listener, String)] = [
            (.apps, "/player"), (.apps, "/player/keyway-player.js"), (.administration, "/dashboard"),
        ]
        for isSecure in [true, false] {
            var setup = TestApplication()
            setup.configuration.playerPage = true
            if isSecure {
                setup.configuration.tls.certificate = files.certificate
                setup.configuration.tls.key = files.key
            }
            try await setup.runInMemory { client in
                for (listener, path) in pages {
                    let answer = try await client.send("GET", path, to: listener)
                    #expect(answer.status == 200, "\(path)")
                    #expect(
                        answer.headers["strict-transport-security"] == (isSecure ? "max-age=31536000" : nil),
                        "\(path)"
                    )
                }
            }
        }
    }
}
