import ContentKeySession
import ContentKeySessionTesting
import HTTPTransport
import SimulatedClocks
import StreamPlayer
import Synchronization
import VirtualDevice

/// The real transport. It stops the test clock while an exchange is in progress, and records the requests.
///
/// The loader measures its timeouts with the test clock. The real client measures real time, which passes on a busy machine
/// while the test clock is stopped, so its timeout is one that only a defect reaches.
final class RecordingTransport: KeyTransport {
    struct SentRequest: Sendable {
        let path: String
        let body: [UInt8]
        let moment: Duration
    }

    static let header = "X-Exchange"

    private let inner: HTTPClientTransport
    private let time: SimulatedTime
    private let all = Mutex<[SentRequest]>([])

    init(_ inner: HTTPClientTransport, _ time: SimulatedTime) {
        self.inner = inner
        self.time = time
    }

    var sent: [SentRequest] { all.withLock { $0 } }
    /// The requests for licenses and keys.
    var licenses: [SentRequest] { sent.filter { $0.path != "/fps/certificate" } }
    var certificates: [SentRequest] { sent.filter { $0.path == "/fps/certificate" } }

    func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportResponse {
        let path = String(request.url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" })
        all.withLock { $0.append(SentRequest(path: path, body: request.body, moment: time.now)) }
        let id = time.beginExchange()
        defer { time.endExchange(id) }
        var marked = request
        marked.headers.append(.init(Self.header, "\(id)"))
        marked.timeout = .seconds(600)
        let outgoing = marked
        return try await withTaskCancellationHandler {
            do throws(KeyTransportError) {
                return Result<KeyTransportResponse, KeyTransportError>.success(try await inner.send(outgoing))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            time.awaitExchange(id)
        }.get()
    }
}
