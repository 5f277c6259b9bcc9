import FPSCrypto
import Foundation
import HTTPRequests
import TextCoding
import ToolSupport

/// A client of a key server, as used by apps and by administrators.
struct KeyServerClient: Sendable {
    /// The URL of the server, without a trailing slash.
    private let base: String
    /// The URL of the server in messages, without user name and password.
    let name: String
    private let token: String?

    /// A CKC, and the attributes that the server returns with it.
    struct Response: Sendable {
        /// The CKC.
        let ckc: [UInt8]
        /// True if the key is persistable; nil if the server does not report it.
        let isPersistable: Bool?
        /// True if the key has dual expiry; nil if the server does not report it.
        let hasDualExpiry: Bool?
        /// True if the body is base64 of the CKC, which an app must decode.
        let isBase64: Bool
        /// The ID that the server gave the response; nil if it has none.
        let requestID: String?
        /// The server's time, as in the header field `Date`.
        let date: String?
    }

    /// The timeout of a request.
    private static let timeout = Duration.seconds(30)
    /// The maximum size of a response, in bytes.
    private static let responseLimit = 16 << 20

    /// Creates a client.
    ///
    /// - Parameter option: The name of the token's option, for error messages.
    init(_ server: URLArgument, token: SecretArgument?, option: String = "--token") throws(CommandFailure) {
        (base, name) = (server.base, server.description)
        self.token = try token?.text(option: option)
    }

    /// Requests the application certificate.
    func certificate() async throws -> X509Certificate {
        let (bytes, _) = try await send("/fps/certificate")
        do {
            return try X509Certificate(bytes)
        } catch {
            throw CommandFailure.input(
                "the server's certificate is \(FileKind(bytes).description), not a certificate",
                next: "check /fps/certificate of \(name)"
            )
        }
    }

    /// Requests a CKC for an SPC.
    func license(spc: [UInt8], persistable: Bool) async throws -> Response {
        let (bytes, response) = try await send("/fps/license" + (persistable ? "?persist=true" : ""), body: spc)
        func flag(_ header: String) -> Bool? { response.header(header).flatMap { Bool($0) } }
        let ckc = try MessageFile.decode(bytes, as: .ckc, name: "the server's response", allowsWrongLength: true)
        return Response(
            ckc: ckc.bytes,
            isPersistable: flag("Keyway-Persistable"),
            hasDualExpiry: flag("Keyway-Dual-Expiry"),
            isBase64: ckc.isBase64,
            requestID: response.header("X-Request-Id"),
            date: response.header("Date")
        )
    }

    /// Sends an SPC that requests no key: a Sync SPC, or one that reports that playback has halted.
    ///
    /// - Returns: The status and the body of the response; the body is empty if the server only records the report.
    func report(spc: [UInt8]) async throws -> (status: Int, body: [UInt8]) {
        let (bytes, response) = try await send("/fps/license", body: spc, accepting: [200, 202, 204])
        return (response.status, bytes)
    }

    /// Registers a content key on the server. This requires an admin token.
    ///
    /// - Parameters:
    ///   - assetID: The asset ID in key requests.
    ///   - track: `audio` or `video`; nil for both. Not used if the key belongs to a title.
    ///   - title: The title and its track that the key belongs to; nil for a separate key.
    ///   - policy: The license policy; nil for the server's default.
    /// - Returns: Whether the asset ID is new; false if it had another key before.
    func register(
        assetID: String,
        keyID: String,
        key: SecretBytes,
        iv: SecretBytes,
        track: String?,
        title: (name: String, track: String)? = nil,
        policy: String?
    ) async throws -> Bool {
        let document = JSONValue.object([
            "key": .string(Hexadecimal.encode(key.reveal())),
            "iv": .string(Hexadecimal.encode(iv.reveal())),
            "keyId": .string(keyID),
            "track": .string(title == nil ? track : nil),
            "title": .string(title?.name),
            "titleTrack": .string(title?.track),
            "policy": .string(policy),
        ])
        let (_, response) = try await send(
            Self.contentPath(assetID),
            method: "PUT",
            body: document.encoded(),
            contentType: "application/json"
        )
        return response.status == 201
    }

    /// Deletes a content key on the server. This requires an admin token.
    func unregister(assetID: String) async throws {
        let path = Self.contentPath(assetID)
        _ = try await send(path, method: "DELETE", accepting: [200, 204, 404], timeout: .seconds(5))
    }

    /// Sends a request to the admin API, to check that the server can be reached and accepts the token.
    func checkAdministration() async throws {
        do {
            _ = try await send("/admin/content?limit=1", method: "GET")
        } catch let failure as CommandFailure where (failure.cause as? ProblemResponse)?.status == 404 {
            throw CommandFailure.input(
                "\(name) does not offer administration",
                next: "give the address of the server's setting admin.listen"
            )
        }
    }

    private static func contentPath(_ assetID: String) -> String {
        "/admin/content/\(PercentEncoding.encode(assetID))"
    }

    /// Returns whether the server has a title.
    func hasTitle(_ name: String) async throws -> Bool {
        try await send(Self.titlePath(name), method: "GET", accepting: [200, 404]).1.status == 200
    }

    /// Creates a title on the server.
    ///
    /// - Parameter keyURI: The template of key URIs; nil for the server's default.
    func createTitle(_ name: String, keyURI: String?) async throws {
        try await put(.object(["keyUriTemplate": .string(keyURI)]), at: Self.titlePath(name))
    }

    /// Returns the kind of a title's track: `audio`, `sd`, `hd`, `uhd`, `video` or `unspecified`; nil if it does not
    /// exist.
    func kind(ofTrack track: String, of title: String) async throws -> String? {
        let path = Self.titlePath(title) + "/tracks/" + PercentEncoding.encode(track)
        let (bytes, response) = try await send(path, method: "GET", accepting: [200, 404])
        return response.status == 200 ? try? JSONValue(parsing: bytes)["kind"]?.text : nil
    }

    /// Creates a track of a title, whose kind has the same name.
    func createTrack(_ track: String, of title: String) async throws {
        let path = Self.titlePath(title) + "/tracks/" + PercentEncoding.encode(track)
        try await put(.object(["kind": .string(track)]), at: path)
    }

    /// Deletes a track of a title, unless it has keys.
    func deleteTrack(_ track: String, of title: String) async throws {
        let path = Self.titlePath(title) + "/tracks/" + PercentEncoding.encode(track)
        _ = try await send(path, method: "DELETE", accepting: [200, 204, 404, 409], timeout: .seconds(5))
    }

    /// Deletes a title, unless it has tracks.
    func deleteTitle(_ name: String) async throws {
        _ = try await send(
            Self.titlePath(name),
            method: "DELETE",
            accepting: [200, 204, 404, 409],
            timeout: .seconds(5)
        )
    }

    private static func titlePath(_ name: String) -> String { "/admin/titles/\(PercentEncoding.encode(name))" }

    private func put(_ document: JSONValue, at path: String) async throws {
        _ = try await send(path, method: "PUT", body: document.encoded(), contentType: "application/json")
    }

    /// Returns a license policy of the server as JSON text; nil if it does not exist.
    func policy(named name: String) async throws -> [UInt8]? {
        let (bytes, response) = try await send("/admin/policies/\(name)", method: "GET", accepting: [200, 404])
        return response.status == 200 ? bytes : nil
    }

    /// Creates or replaces a license policy on the server.
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
        guard let url = URLArgument.url(base + path) else { throw CommandFailure.usage("\(name) is not a valid URL") }
        let address = url.withoutUserInformation.absoluteString
        var request = BoundedHTTP.Request(address, timeout: timeout, maximumResponseSize: Self.responseLimit)
        request.headers = [BoundedHTTP.Header("User-Agent", "keyway")]
        request.method = method ?? (body == nil ? "GET" : "POST")
        if let body {
            request.body = body
            request.headers.append(.init("Content-Type", contentType))
        }
        if let authorization = token.map({ "Bearer \($0)" }) ?? url.basicAuthorization {
            request.headers.append(.init("Authorization", authorization))
        }
        let response: BoundedHTTP.Answer
        do throws(BoundedHTTP.Failure) {
            response = try await CommandHTTP.send(request)
        } catch {
            guard error.code != .cancelled else { throw CancellationError() }
            let next = "check the URL, and that the server is running"
            throw CommandFailure.file("cannot reach \(address): \(error.reason)", next: next).caused(by: error)
        }
        // Redirects are not followed, because the token must not be sent to another host.
        if (300..<400).contains(response.status), let location = response.header("Location") {
            throw CommandFailure.input("the server redirects \(path) to \(location)", next: "give its URL as --server")
        }
        guard statuses.contains(response.status) else { throw Self.refusal(response.status, response.body, path) }
        return (response.body, response)
    }

    /// Sends a request without a token, and returns the response, whatever its status. Redirects are not followed.
    ///
    /// - Parameters:
    ///   - path: The path, which begins with a slash.
    ///   - headers: Header fields of the request.
    func respond(
        to path: String,
        method: String = "GET",
        headers: [BoundedHTTP.Header] = []
    ) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Answer {
        let address = URLArgument.url(base + path)?.withoutUserInformation.absoluteString ?? base + path
        var request = BoundedHTTP.Request(address, timeout: Self.timeout, maximumResponseSize: 1 << 20)
        request.method = method
        request.headers = [BoundedHTTP.Header("User-Agent", "keyway")] + headers
        return try await CommandHTTP.send(request)
    }

    /// Returns a failure for an error response.
    private static func refusal(_ status: Int, _ body: [UInt8], _ path: String) -> CommandFailure {
        let what = "the server responded to \(path) with status \(status)"
        guard let problem = ProblemResponse(status: status, body: body) else {
            return .input("\(what); the body is \(FileKind(body).description)", next: "check the server's log")
        }
        let details = [problem.title, problem.detail, problem.reason.map { "reason: \($0)" }].compactMap { $0 }
        let text = details.isEmpty ? problem.type ?? "no reason given" : details.joined(separator: "; ")
        let instance = problem.instance.map { " under \($0)" } ?? ""
        return .input("\(what): \(text)", next: "see the server's audit log for details\(instance)").caused(by: problem)
    }
}
