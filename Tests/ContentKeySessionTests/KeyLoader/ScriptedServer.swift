import Synchronization
import TextCoding

@testable import ContentKeySession

/// A key server whose responses can be replaced, and the transport to it.
final class ScriptedServer: KeyTransport {
    struct Seen: Sendable {
        let request: KeyTransportRequest
        let moment: Duration
        var path: String { String(request.url.dropFirst("https://keys.example".count)) }
        func header(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }
    }

    /// The behavior instead of the normal response.
    enum Answer {
        case answer(KeyTransportResponse)
        case error(KeyTransportError)
        /// Responds normally.
        case good
        /// Never responds.
        case silence
    }

    let simulation: Simulation
    private let script: @Sendable (Int, KeyTransportRequest) -> Answer
    private let seen = Mutex<[Seen]>([])
    /// The duration of a round trip.
    let latency: Duration
    /// The number of certificates.
    private let certificates = Mutex(0)

    /// - Parameter script: The behavior by the number of the license request, from 1.
    init(
        _ simulation: Simulation,
        latency: Duration = .milliseconds(50),
        script: @escaping @Sendable (Int, KeyTransportRequest) -> Answer = { _, _ in .good }
    ) {
        self.simulation = simulation
        self.latency = latency
        self.script = script
    }

    var all: [Seen] { seen.withLock { $0 } }
    var licenses: [Seen] { all.filter { $0.request.method == .post || $0.request.url.contains("clear") } }
    var certificateFetches: Int { all.filter { $0.path == "/fps/certificate" }.count }

    func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportResponse {
        let number = seen.withLock { seen in
            seen.append(Seen(request: request, moment: simulation.now))
            return seen.filter { !$0.path.hasSuffix("/certificate") }.count
        }
        do { try await simulation.sleep(until: simulation.now + latency) } catch { throw .cancelled }
        let isCertificate = request.url.hasSuffix("/certificate")
        switch script(isCertificate ? 0 : number, request) {
        case .answer(let answer): return answer
        case .error(let error): throw error
        case .good: return isCertificate ? certificate() : good(request)
        case .silence:
            do { try await simulation.sleep(until: .seconds(1_000_000)) } catch { throw .cancelled }
            throw .noConnection
        }
    }

    private func certificate() -> KeyTransportResponse {
        let number = certificates.withLock { count in
            count += 1
            return count
        }
        return KeyTransportResponse(status: 200, body: [0x30, 3, 1, 1, UInt8(number)])
    }

    private func good(_ request: KeyTransportRequest) -> KeyTransportResponse {
        guard request.method == .post, let json = JSONValue(answer: request.body) else {
            return KeyTransportResponse(status: 200, body: Array(repeating: 7, count: 16))
        }
        guard let items = json["fairplay-streaming-request"]?["create-ckc"]?.items else {
            return KeyTransportResponse(status: 200, body: JSONValue.object(["ckc": Self.ckc(json)]).encoded())
        }
        return Self.batch(items) { Self.ckc($0) }
    }

    static func batch(_ items: [JSONValue], _ ckc: (JSONValue) -> JSONValue?) -> KeyTransportResponse {
        let answers = items.map { item in
            if let ckc = ckc(item) {
                return JSONValue.object(["id": item["id"], "status": .integer(0), "ckc": ckc])
            }
            return .object([
                "id": item["id"], "status": .integer(403),
                "problem": .object(["type": .string("urn:keyway:problem:refused-by-policy"), "reason": .string("hdcp")]
                ),
            ])
        }
        let body = JSONValue.object(["fairplay-streaming-response": .object(["create-ckc": .array(answers)])])
        return KeyTransportResponse(status: 200, body: body.encoded())
    }

    static func ckc(_ item: JSONValue) -> JSONValue? {
        guard let text = item["spc"]?.text, let spc = Base64.decode(text) else { return nil }
        return .string(Base64.encode(Array("ckc ".utf8) + spc))
    }

    static func problem(_ status: Int, _ type: String, headers: [KeyTransportHeader] = []) -> Answer {
        let body = JSONValue.object(["type": .string("urn:keyway:problem:" + type)]).encoded()
        return .answer(KeyTransportResponse(status: status, headers: headers, body: body))
    }
}
