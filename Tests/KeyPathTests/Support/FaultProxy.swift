import Foundation
import SimulatedClocks
import Synchronization
import VirtualDevice

/// A proxy between client and server, with real sockets, that runs a script's fault for each exchange.
final class FaultProxy: Sendable {
    let port: Int
    private let listener: ByteSocket
    private let server: Int
    private let time: SimulatedTime
    private let script: @Sendable (ReceivedRequest) -> Fault
    private let state = Mutex(State())

    private struct State {
        var open: [Int32: ByteSocket] = [:]
        var heard: [ReceivedRequest] = []
        var isOver = false
    }

    init(server: Int, _ time: SimulatedTime, script: @escaping @Sendable (ReceivedRequest) -> Fault) throws {
        (listener, port) = try ByteSocket.listening()
        self.server = server
        self.time = time
        self.script = script
        Thread.detachNewThread { [self] in
            while let connection = listener.accept() {
                let isOver = state.withLock { state in
                    if !state.isOver { state.open[connection.number] = connection }
                    return state.isOver
                }
                guard !isOver else {
                    connection.close()
                    break
                }
                Thread.detachNewThread { self.serve(connection) }
            }
            // Closed here, and not where it is shut down: the next socket may have the same descriptor by then.
            listener.close()
        }
    }

    var heard: [ReceivedRequest] { state.withLock { $0.heard } }
    var licenses: [ReceivedRequest] { heard.filter { !$0.isCertificate } }
    var certificates: [ReceivedRequest] { heard.filter(\.isCertificate) }

    func stop() {
        state.withLock { state in
            state.isOver = true
            for connection in state.open.values { connection.shutDown() }
        }
        listener.shutDown()
    }

    private func serve(_ connection: ByteSocket) {
        var stream = HTTPBytes(connection)
        var onConnection = 0
        while let request = stream.next() {
            onConnection += 1
            let heard = state.withLock { state in
                let isCertificate = request.path == "/fps/certificate"
                let number = state.heard.filter { $0.isCertificate == isCertificate }.count + 1
                let heard = ReceivedRequest(number: number, path: request.path, onConnection: onConnection)
                state.heard.append(heard)
                return heard
            }
            let exchange = request.header(RecordingTransport.header).flatMap { Int($0) } ?? 0
            guard carryOut(script(heard), request, exchange, connection) else { break }
        }
        state.withLock { state in
            state.open[connection.number] = nil
            connection.close()
        }
    }

    /// Returns true if the connection stays open.
    private func carryOut(_ fault: Fault, _ request: HTTPMessage, _ exchange: Int, _ connection: ByteSocket) -> Bool {
        if case .silence = fault {
            time.abandonExchange(exchange)
            _ = connection.receive()
            return false
        }
        if case .answer(let status, let body, let headers, let type) = fault {
            let fields = headers + ["Content-Type: \(type)", "Content-Length: \(body.utf8.count)"]
            let head = "HTTP/1.1 \(status) Injected\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
            return connection.send(Array((head + body).utf8))
        }
        guard let answer = ask(request) else {
            connection.resetWhenClosed()
            return false
        }
        switch fault {
        case .none, .silence, .answer: return connection.send(answer.head + answer.body)
        case .closesAfter:
            connection.send(answer.head + answer.body)
            return false
        case .latency(let latency):
            wait(latency, exchange)
            return connection.send(answer.head + answer.body)
        case .resetBeforeHead, .resetWithinHead, .resetWithinBody:
            connection.resetWhenClosed()
            if case .resetWithinHead = fault { connection.send(Array(answer.head.prefix(20))) }
            if case .resetWithinBody = fault { connection.send(answer.head + answer.body.prefix(20)) }
            return false
        case .endsEarly:
            connection.send(answer.head + answer.body.dropLast(10))
            return false
        case .body(let change):
            let body = change(answer.body)
            return connection.send(answer.head(length: body.count) + body)
        case .trickle:
            connection.send(answer.head + answer.body.prefix(20))
            time.abandonExchange(exchange)
            // Much slower than any response, but more frequent than the client's checks of its deadline.
            for byte in answer.body.dropFirst(20) {
                usleep(20_000)
                guard connection.send([byte]) else { break }
            }
            return false
        }
    }

    private func ask(_ request: HTTPMessage) -> HTTPMessage? {
        guard let upstream = ByteSocket.connected(to: server) else { return nil }
        defer { upstream.close() }
        guard upstream.send(request.head + request.body) else { return nil }
        var stream = HTTPBytes(upstream)
        return stream.next()
    }

    /// Blocks this thread for a duration of the client's clock.
    private func wait(_ latency: Duration, _ exchange: Int) {
        let isOver = DispatchSemaphore(value: 0)
        let time = time
        Task.detached {
            try? await time.sleep(until: time.now + latency, exchange: exchange)
            isOver.signal()
        }
        _ = isOver.wait(timeout: .now() + 60)
    }
}
