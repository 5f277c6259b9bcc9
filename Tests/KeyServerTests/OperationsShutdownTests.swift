import Foundation
import Glibc
import KeyServerModule
import ServiceLifecycle
import Testing

@testable import KeyServer

@Suite("Shutdown of a server", .timeLimit(.minutes(10)))
struct OperationsShutdownTests {
    @Test("Open requests are finished, new connections refused, idle ones closed, and readiness fails first")
    func graceful() async throws {
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let (answered, answering) = AsyncStream.makeStream(of: Void.self)
        let (may, finishing) = AsyncStream.makeStream(of: Void.self)
        var setup = TestApplication()
        setup.environment.authorizer = GatedAuthorizer(begins: { beginning.yield() }) { for await _ in may { break } }
        try await setup.run { running in
            let port = running.port
            #expect(await running.application.parts.readiness.failing() == ["certificates"])
            async let slow = fetch(port, "/fps/challenge", method: "POST")
            async let idle = SocketClient.run(port: port) { client in
                client.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                let answer = client.readAnswer()
                answering.yield()
                return answer + client.readToEnd()
            }
            for await _ in begun { break }
            for await _ in answered { break }
            await running.group.triggerGracefulShutdown()
            // The port is closed after the service that makes the server unready has ended.
            try await eventually("the port is closed") {
                (try? await SocketClient.run(port: port, { _ in true })) != true
            }
            #expect(await running.application.parts.readiness.failing() == ["stopping"])
            #expect(try await idle.hasSuffix("ok\n"))
            // The listener for administration is closed after the one for players has finished.
            #expect(try await fetch(running.adminPort, "/metrics").status == 200)
            finishing.yield()
            let answer = try await slow
            #expect(answer.status == 200 && answer.body.contains("\"challenge\""))
            try await eventually("the port for administration is closed") {
                (try? await SocketClient.run(port: running.adminPort, { _ in true })) != true
            }
        }
    }

    @Test("During the delay for load balancers, requests are still answered and the server is not ready")
    func delay() async throws {
        let (stopping, stop) = AsyncStream.makeStream(of: Void.self)
        var setup = TestApplication()
        setup.configuration.shutdownDelay = Seconds(rawValue: 5)
        setup.environment.onStopping = { stop.yield() }
        try await setup.run { running in
            let port = running.port
            await running.group.triggerGracefulShutdown()
            for await _ in stopping { break }
            await running.clock.waitForSleeps(1)
            let ready = try await fetch(port, "/readyz")
            #expect(ready.status == 503 && ready.body == "stopping\n")
            #expect(try await fetch(port, "/healthz").status == 200)
            running.clock.wake()
            try await eventually("the port is closed") {
                (try? await SocketClient.run(port: port, { _ in true })) != true
            }
        }
    }

    @Test("The service manager is notified by its socket, by path or by abstract name")
    func notification() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("kw-\(UUID().uuidString.prefix(8))")
            .path
        for name in [path, "@keyway-\(UUID().uuidString)"] {
            let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            defer { close(socket) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            var bytes = Array(name.utf8)
            if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
            }
            #expect(bound == 0)
            ServiceManager.notify(.ready, socket: name)
            var buffer = [UInt8](repeating: 0, count: 100)
            let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            #expect(count > 0 && String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self) == "READY=1")
        }
        unlink(path)
        // Invalid names have no effect.
        for name in ["", "x", String(repeating: "/x", count: 200), path] {
            ServiceManager.notify(.stopping, socket: name)
        }
    }
}

/// Allows every request after a time that a test determines.
struct GatedAuthorizer: PlaybackAuthorizer {
    let begins: @Sendable () -> Void
    let wait: @Sendable () async -> Void

    func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization {
        begins()
        await wait()
        return PlaybackAuthorization(account: "viewer", expires: request.now + 3_600)
    }
}
