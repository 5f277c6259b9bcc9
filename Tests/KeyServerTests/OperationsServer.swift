import AsyncHTTPClient
import FPSCrypto
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOSSL
import ServerCrypto
import ServiceLifecycle

@testable import KeyServer

/// A server with the test's router, for the duration of the test; the test may stop it earlier.
func withOperationsServer(
    _ router: Router<ServerRequestContext>,
    certificate: ServerCertificate? = nil,
    log: LogRecorder = LogRecorder(),
    _ test: @Sendable (_ port: Int, _ group: ServiceGroup) async throws -> Void
) async throws {
    try await withListener(
        router,
        certificate: certificate,
        Logger(label: "test") { _ in log },
        test
    )
}

/// Returns the response to a request on a new connection; header fields by their names in lowercase.
func fetch(
    _ port: Int,
    _ path: String,
    method: String = "GET",
    headers: [(String, String)] = []
) async throws -> (status: Int, headers: [String: String], body: String) {
    let text = try await SocketClient.run(port: port) { client in
        let fields = headers.map { "\($0): \($1)\r\n" }.joined()
        client.send("\(method) \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\(fields)\r\n")
        return client.readToEnd()
    }
    let end = text.range(of: "\r\n\r\n") ?? text.endIndex..<text.endIndex
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    let fields = lines.dropFirst().compactMap { line -> (String, String)? in
        line.range(of: ": ").map { (line[..<$0.lowerBound].lowercased(), String(line[$0.upperBound...])) }
    }
    let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (status ?? 0, Dictionary(fields) { "\($0), \($1)" }, String(text[end.upperBound...]))
}

/// Returns the body of a response over TLS, with a client that opens a new connection.
func fetchSecurely(_ port: Int, _ path: String, _ configure: (inout TLSConfiguration) -> Void) async throws -> String {
    var tls = TLSConfiguration.makeClientConfiguration()
    configure(&tls)
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    configuration.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    do {
        let request = HTTPClientRequest(url: "https://127.0.0.1:\(port)\(path)")
        let body = try await client.execute(request, timeout: .seconds(120)).body.collect(upTo: 1 << 20)
        try await client.shutdown()
        return String(buffer: body)
    } catch {
        try? await client.shutdown()
        throw error
    }
}

/// A certificate and its key in two files, which can be replaced.
struct CertificateFiles {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keyway-\(UUID().uuidString)")
    var certificate: String { folder.appendingPathComponent("tls.pem").path }
    var key: String { folder.appendingPathComponent("tls.key").path }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    /// Creates a new pair and replaces the files.
    @discardableResult
    func replace(_ name: String, days: Int = 30) throws -> NIOSSLCertificate {
        let key = try RSAPrivateKey.generate(bits: 2_048)
        let certificate = try X509Certificate.selfSigned(subject: name, key: key, days: days)
        try Data(certificate.pem.utf8).write(to: URL(fileURLWithPath: self.certificate), options: .atomic)
        try Data(key.pem().reveal()).write(to: URL(fileURLWithPath: self.key), options: .atomic)
        chmod(self.key, 0o600)
        return try NIOSSLCertificate(bytes: certificate.der, format: .der)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
