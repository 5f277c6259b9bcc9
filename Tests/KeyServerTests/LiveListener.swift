import Foundation
import FoundationNetworking
import Hummingbird
import Logging
import ServiceLifecycle
import TextCoding

@testable import KeyServer

/// Serves a router on a separate port while `test` runs; the test may stop it earlier with the group.
func withListener(
    _ router: Router<ServerRequestContext>,
    limits: ListenerLimits = ListenerLimits(),
    certificate: ServerCertificate? = nil,
    clientAuthorities: ClientAuthorities? = nil,
    limiter: ConnectionLimiter? = nil,
    metrics: ServerMetrics? = nil,
    shedding: LoadShedding? = nil,
    _ logger: Logger,
    _ test: @Sendable (_ port: Int, _ group: ServiceGroup) async throws -> Void
) async throws {
    let (ports, onPort) = AsyncStream.makeStream(of: Int.self)
    let application = try Listener.makeApplication(
        router: router,
        host: "127.0.0.1",
        port: 0,
        limits: limits,
        certificate: certificate,
        clientAuthorities: clientAuthorities,
        limiter: limiter,
        metrics: metrics,
        shedding: shedding,
        isQuick: shedding != nil,
        logger: logger,
        onRunning: { onPort.yield($0) }
    )
    let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
            defer { onPort.finish() }
            try await group.run()
        }
        for await port in ports {
            try await test(port, group)
            break
        }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
    }
}

/// A response over HTTP.
struct ReceivedResponse: Sendable {
    let status: Int
    let headers: [String: String]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    /// The body as a JSON object.
    var json: JSONObject {
        if case .object(let fields)? = try? JSONValue(parsing: body) { fields } else { [:] }
    }
    /// The body without the request ID, to compare two responses to the same refusal.
    var withoutInstance: JSONObject { JSONObject(json.filter { $0.key != "instance" }) }

    /// The session has no cookie storage: a test sends its own cookies, and none of other tests.
    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        return URLSession(configuration: configuration)
    }()

    /// Sends a request with a client that is independent of this server.
    static func of(
        _ method: String,
        _ url: String,
        _ headers: [String: String],
        _ body: [UInt8]?
    ) async throws -> ReceivedResponse {
        var request = URLRequest(url: URL(string: url)!)
        request.httpMethod = method
        request.httpBody = body.map { Data($0) }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await session.data(for: request)
        let http = response as? HTTPURLResponse
        var found: [String: String] = [:]
        for (name, value) in http?.allHeaderFields ?? [:] { found["\(name)".lowercased()] = "\(value)" }
        return ReceivedResponse(status: http?.statusCode ?? 0, headers: found, body: [UInt8](data))
    }
}
