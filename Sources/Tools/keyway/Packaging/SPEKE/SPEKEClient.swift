import AsyncHTTPClient
import Foundation
import HTTPRequests
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
        let url = URL(string: address)
        let bare = url?.withoutUserInformation.absoluteString ?? address
        var request = BoundedHTTP.Request(bare, timeout: .seconds(60), maximumAnswer: Self.answerLimit)
        request.method = "POST"
        request.body = document
        // In lowercase, as AWS's tests of servers have it: its reference server looks for nothing else.
        request.headers = [.init("Content-Type", "application/xml"), .init("x-speke-version", "2.0")]
        if let authorization = token.map({ "Bearer \($0)" }) ?? url?.basicAuthorization {
            request.headers.append(.init("Authorization", authorization))
        }
        let tls = try tls()
        let answer: BoundedHTTP.Answer
        do {
            answer = try await CommandHTTP.send(request, configuring: { $0.tlsConfiguration = tls })
        } catch {
            guard error.code != .tooLarge else {
                throw .input("the answer of \(bare) has more than \(Self.answerLimit >> 20) MiB")
            }
            throw .file(
                "cannot ask \(bare): \(error.reason)",
                next: "check the address, the server, and the --speke-… files"
            )
        }
        guard answer.status == 200 else { throw refusal(answer.status, answer.body, bare) }
        return answer.body
    }

    private func refusal(_ status: Int, _ body: [UInt8], _ address: String) -> CommandFailure {
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
