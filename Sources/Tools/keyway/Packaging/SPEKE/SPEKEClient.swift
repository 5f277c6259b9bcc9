import Foundation
import HTTPRequests
import NIOSSL
import ToolSupport

/// A client that sends a CPIX document to a SPEKE server, and returns the response.
struct SPEKEClient: Sendable {
    private let address: String
    private let version: SPEKEVersionArgument
    private let token: String?
    private let certificate: InputPath?
    private let privateKey: InputPath?
    private let authorities: InputPath?

    /// The maximum size of a response, in bytes.
    private static let responseLimit = 16 << 20

    /// Creates a client from the command line. Certificate files are read when a request is sent.
    ///
    /// - Throws: ``CommandFailure`` if the token file cannot be read.
    init?(_ options: SPEKEOptions) throws(CommandFailure) {
        guard let address = options.speke else { return nil }
        self.address = address
        version = options.version
        certificate = options.certificate
        privateKey = options.privateKey
        authorities = options.authorities
        if let file = options.tokenFile {
            token = String(decoding: try InputFile.readLine(file.path), as: UTF8.self)
        } else {
            token = ProcessInfo.processInfo.environment["KEYWAY_SPEKE_TOKEN"]
        }
    }

    /// Sends a document, and returns the document in the response.
    ///
    /// - Throws: ``CommandFailure``, which contains neither the document nor the token.
    func send(_ document: [UInt8]) async throws(CommandFailure) -> [UInt8] {
        let url = URL(string: address)
        let bare = url?.withoutUserInformation.absoluteString ?? address
        var request = BoundedHTTP.Request(bare, timeout: .seconds(60), maximumResponseSize: Self.responseLimit)
        request.method = "POST"
        request.body = document
        // The header name is lowercase as in AWS's server tests, because the reference server compares it
        // case-sensitively.
        request.headers = [.init("Content-Type", "application/xml"), .init("x-speke-version", version.rawValue)]
        if let authorization = token.map({ "Bearer \($0)" }) ?? url?.basicAuthorization {
            request.headers.append(.init("Authorization", authorization))
        }
        guard let url else { throw .usage("\(bare) is not a valid URL") }
        let http = CommandHTTP(tls: try tls())
        let result: Result<BoundedHTTP.Answer, BoundedHTTP.Failure>
        do {
            result = .success(try await http.send(request, to: url, while: nil))
        } catch {
            result = .failure(error)
        }
        await http.shutdown()
        let response: BoundedHTTP.Answer
        do {
            response = try result.get()
        } catch {
            guard error.code != .tooLarge else {
                throw .input("the response of \(bare) exceeds \(Self.responseLimit >> 20) MiB")
            }
            throw .file(
                "cannot request keys from \(bare): \(error.reason)",
                next: "check the URL, the server, and the --speke-… files"
            )
        }
        guard response.status == 200 else { throw refusal(response.status, response.body, bare) }
        let answered = response.headers.first { $0.name.lowercased() == "x-speke-version" }?.value
        guard answered == nil || answered == version.rawValue else {
            throw .input(
                "\(bare) responded with another X-Speke-Version than \(version.rawValue)",
                next: "give the version that the server supports with --speke-version"
            )
        }
        return response.body
    }

    private func refusal(_ status: Int, _ body: [UInt8], _ address: String) -> CommandFailure {
        struct Problem: Decodable {
            var title: String?
            var detail: String?
            var reason: String?
        }
        let what = "\(address) responded with status \(status)"
        guard let problem = try? JSONDecoder().decode(Problem.self, from: Data(body)) else {
            return .input(what, next: "check the server's log")
        }
        let details = [problem.title, problem.detail, problem.reason.map { "reason: \($0)" }].compactMap { $0 }
        return .input("\(what): " + (details.isEmpty ? "no reason given" : details.joined(separator: "; ")))
    }

    private func tls() throws(CommandFailure) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        do {
            if let authorities { tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(authorities.path)) }
            if let certificate, let privateKey {
                tls.certificateChain = try NIOSSLCertificate.fromPEMFile(certificate.path).map { .certificate($0) }
                tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: privateKey.path, format: .pem))
            }
        } catch {
            throw .input("the --speke-… files cannot be used for TLS", next: "give certificates and private key in PEM")
        }
        return tls
    }
}
