import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// Puts a CPIX document to a key server, and brings the answer.
struct SPEKEClient: Sendable {
    private let address: String
    private let token: String?
    private let certificate: String?
    private let privateKey: String?
    private let authorities: String?

    /// How many bytes an answer may have.
    private static let answerLimit = 16 << 20

    /// Takes what the command line says. Files are read when something is asked.
    ///
    /// - Throws: ``CommandFailure`` when the token's file cannot be read.
    init?(_ options: SPEKEOptions) throws(CommandFailure) {
        guard let address = options.speke else { return nil }
        self.address = address
        certificate = options.certificate
        privateKey = options.privateKey
        authorities = options.authorities
        if let file = options.tokenFile {
            token = String(decoding: try InputFile.readLine(file), as: UTF8.self)
        } else {
            token = ProcessInfo.processInfo.environment["KEYWAY_SPEKE_TOKEN"]
        }
    }

    /// The answer's document.
    ///
    /// - Throws: ``CommandFailure``, which repeats neither document nor token.
    func ask(_ document: [UInt8]) async throws(CommandFailure) -> [UInt8] {
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: HTTPClient.Configuration(tlsConfiguration: try tls(), redirectConfiguration: .disallow)
        )
        let result = await answer(to: document, from: client)
        try? await client.shutdown()
        return try result.get()
    }

    private func answer(to document: [UInt8], from client: HTTPClient) async -> Result<[UInt8], CommandFailure> {
        var request = HTTPClientRequest(url: address)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/xml")
        // In small letters, as AWS's tests of servers have it: its reference server looks for nothing else.
        request.headers.add(name: "x-speke-version", value: "2.0")
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        request.body = .bytes(ByteBuffer(bytes: document))
        do {
            let response = try await client.execute(request, timeout: .seconds(60))
            let body = Array(buffer: try await response.body.collect(upTo: Self.answerLimit))
            guard response.status == .ok else { return .failure(refusal(response.status.code, body)) }
            return .success(body)
        } catch is NIOTooManyBytesError {
            return .failure(.input("the answer of \(address) has more than \(Self.answerLimit >> 20) MiB"))
        } catch {
            // The library's errors name what went wrong on the way, and nothing of what was sent.
            return .failure(
                .file("cannot ask \(address): \(error)", next: "check the address, the server, and the --speke-… files")
            )
        }
    }

    private func refusal(_ status: UInt, _ body: [UInt8]) -> CommandFailure {
        struct Problem: Decodable {
            var title: String?
            var detail: String?
            var reason: String?
        }
        let what = "\(address) answers with status \(status)"
        guard let problem = try? JSONDecoder().decode(Problem.self, from: Data(body)) else {
            return .input(what, next: "look at the server's log")
        }
        let words = [problem.title, problem.detail, problem.reason.map { "reason: \($0)" }].compactMap { $0 }
        return .input("\(what): " + (words.isEmpty ? "no reason given" : words.joined(separator: "; ")))
    }

    private func tls() throws(CommandFailure) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        do {
            if let authorities { tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(authorities)) }
            if let certificate, let privateKey {
                tls.certificateChain = try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) }
                tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: privateKey, format: .pem))
            }
        } catch {
            throw .input("the --speke-… files cannot be used for TLS", next: "give certificates and key in PEM")
        }
        return tls
    }
}
