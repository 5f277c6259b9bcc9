import FPSCrypto
import Foundation
import HTTPRequests
import TextCoding

/// Speaks with a key server as an app does.
struct KeyServerClient: Sendable {
    /// The server's address, without a slash at its end.
    let base: String
    private let token: String?

    /// A CKC, and what the server says about it.
    struct Answer: Sendable {
        /// The CKC.
        let ckc: [UInt8]
        /// Whether the key may be kept; nil from a server that does not say.
        let isPersistable: Bool?
        /// Whether the key has dual expiry; nil from a server that does not say.
        let hasDualExpiry: Bool?
    }

    /// How long an answer may take.
    private static let timeout = Duration.seconds(30)
    /// The size limit of an answer, in bytes.
    private static let answerLimit = 16 << 20

    /// Makes a client. `token` is the token itself, or `@` and a file that holds it.
    init(server: String, token: String?) throws(CommandFailure) {
        base = server.hasSuffix("/") ? String(server.dropLast()) : server
        guard let token, token.hasPrefix("@") else {
            self.token = token
            return
        }
        let bytes = try InputFile.readSecret(String(token.dropFirst()))
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .input("\(token.dropFirst()) holds no token", next: "write it as text")
        }
        self.token = text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The address, if it is one.
    static func url(_ text: String) -> URL? {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()), url.host != nil else {
            return nil
        }
        return url
    }

    /// The application certificate.
    func certificate() async throws -> X509Certificate {
        let (bytes, _) = try await send("/fps/certificate")
        do {
            return try X509Certificate(bytes)
        } catch {
            throw CommandFailure.input(
                "the server's certificate is \(FileKind(bytes).words), not a certificate",
                next: "look at \(base)/fps/certificate"
            )
        }
    }

    /// A CKC for an SPC.
    func license(spc: [UInt8], persistable: Bool) async throws -> Answer {
        let (bytes, response) = try await send("/fps/license" + (persistable ? "?persist=true" : ""), body: spc)
        func flag(_ header: String) -> Bool? { response.header(header).flatMap { Bool($0) } }
        return Answer(
            ckc: try MessageFile.decode(bytes, as: .ckc, name: "the server's answer", allowsDamage: true),
            isPersistable: flag("Keyway-Persistable"),
            hasDualExpiry: flag("Keyway-Dual-Expiry")
        )
    }

    /// Has the server keep a content key. The client's token is that of the administration.
    ///
    /// - Parameters:
    ///   - assetID: What devices ask for.
    ///   - track: `audio` or `video`; nil for both.
    ///   - policy: The license policy; nil leaves the server's default.
    /// - Returns: Whether the asset ID is new: false where it had another key before.
    func register(
        assetID: String,
        keyID: String,
        key: SecretBytes,
        iv: SecretBytes,
        track: String?,
        policy: String?
    ) async throws -> Bool {
        let document = JSONValue.object([
            "key": .string(Hexadecimal.encode(key.reveal())),
            "iv": .string(Hexadecimal.encode(iv.reveal())),
            "keyId": .string(keyID),
            "track": .string(track),
            "policy": .string(policy),
        ])
        let (_, answer) = try await send(
            Self.contentPath(assetID),
            method: "PUT",
            body: document.encoded(),
            contentType: "application/json"
        )
        return answer.status == 201
    }

    /// Has the server delete a content key. The client's token is that of the administration.
    func unregister(assetID: String) async throws {
        let path = Self.contentPath(assetID)
        _ = try await send(path, method: "DELETE", accepting: [200, 204, 404], timeout: .seconds(5))
    }

    /// Asks for something of the administration, to see that the server is there and takes the token.
    func checkAdministration() async throws { _ = try await send("/admin/content?limit=1", method: "GET") }

    private static func contentPath(_ assetID: String) -> String {
        "/admin/content/\(PercentEncoding.encode(assetID))"
    }

    /// A license policy of the server as JSON text; nil where it has none of that name.
    func policy(named name: String) async throws -> [UInt8]? {
        let (bytes, answer) = try await send("/admin/policies/\(name)", method: "GET", accepting: [200, 404])
        return answer.status == 200 ? bytes : nil
    }

    /// Has the server keep a license policy, in the place of one of that name.
    func put(policy document: [UInt8], named name: String) async throws {
        _ = try await send(
            "/admin/policies/\(name)",
            method: "PUT",
            body: document,
            contentType: "application/json"
        )
    }

    private func send(
        _ path: String,
        method: String? = nil,
        body: [UInt8]? = nil,
        contentType: String = "application/octet-stream",
        accepting statuses: [Int] = [200, 201],
        timeout: Duration = Self.timeout
    ) async throws -> ([UInt8], BoundedHTTP.Answer) {
        guard let url = Self.url(base + path) else { throw CommandFailure.usage("\(base) is no address") }
        let address = url.withoutUserInformation.absoluteString
        var request = BoundedHTTP.Request(address, timeout: timeout, maximumAnswer: Self.answerLimit)
        request.headers = [BoundedHTTP.Header("User-Agent", "keyway")]
        request.method = method ?? (body == nil ? "GET" : "POST")
        if let body {
            request.body = body
            request.headers.append(.init("Content-Type", contentType))
        }
        if let authorization = token.map({ "Bearer \($0)" }) ?? url.basicAuthorization {
            request.headers.append(.init("Authorization", authorization))
        }
        let answer: BoundedHTTP.Answer
        do throws(BoundedHTTP.Failure) {
            answer = try await CommandHTTP.send(request)
        } catch {
            guard error.code != .cancelled else { throw CancellationError() }
            let next = "check the address, and that the server runs"
            throw CommandFailure.file("cannot reach \(address): \(error.reason)", next: next)
        }
        // A redirect would take the token to another host.
        if (300..<400).contains(answer.status), let place = answer.header("Location") {
            throw CommandFailure.input("the server redirects \(path) to \(place)", next: "give its address as --server")
        }
        guard statuses.contains(answer.status) else { throw Self.refusal(answer.status, answer.body, path) }
        return (answer.body, answer)
    }

    /// An answer that is no success, in words.
    private static func refusal(_ status: Int, _ body: [UInt8], _ path: String) -> CommandFailure {
        struct Problem: Decodable {
            var type: String?
            var title: String?
            var detail: String?
            var reason: String?
            var instance: String?
        }
        let what = "the server answers \(path) with status \(status)"
        guard let problem = try? JSONDecoder().decode(Problem.self, from: Data(body)) else {
            return .input("\(what); the body is \(FileKind(body).words)", next: "look at the server's log")
        }
        let words = [problem.title, problem.detail, problem.reason.map { "reason: \($0)" }].compactMap { $0 }
        let text = words.isEmpty ? problem.type ?? "no reason given" : words.joined(separator: "; ")
        let place = problem.instance.map { " under \($0)" } ?? ""
        return .input("\(what): \(text)", next: "the server's audit log has the detail\(place)")
    }
}
