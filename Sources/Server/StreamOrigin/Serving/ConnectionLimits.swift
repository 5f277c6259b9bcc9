import HTTPListening
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// The limits of connections, which clients cannot influence.
package struct ConnectionLimits: Sendable {
    /// The maximum number of open connections.
    package var connections = 10_000
    /// The maximum number of open connections of one address, an IPv6 address by its /64 network; 0 means unlimited.
    /// Loopback addresses are not limited.
    package var connectionsPerAddress = 500
    /// The time from the opening of a connection to the end of the TLS handshake, and to the end of a request head.
    package var headDeadline: Duration = .seconds(10)
    /// The time for the body of a request.
    package var bodyDeadline: Duration = .seconds(60)
    /// The time without a request on an open connection.
    package var idleTimeout: Duration = .seconds(75)
    /// The time without progress in sending a response.
    package var writeTimeout: Duration = .seconds(20)
    /// The maximum size of all header fields of a request, in bytes.
    package var headerBytes = 16_384

    /// Creates the default limits.
    package init() {}
}

/// Counts open connections.
package final class ConnectionCounter: Sendable {
    private struct Counts {
        var all = 0
        var byAddress: [[UInt8]: Int] = [:]
    }

    private let limits: ConnectionLimits
    private let metrics: OriginMetrics
    private let counts = Mutex(Counts())

    /// Creates a counter.
    package init(limits: ConnectionLimits, metrics: OriginMetrics) {
        self.limits = limits
        self.metrics = metrics
    }

    /// The number of open connections.
    package var count: Int { counts.withLock { $0.all } }

    /// Counts a connection until ``close(_:)``; false if a limit is exceeded.
    func open(_ address: [UInt8]?) -> Bool {
        let isAdmitted = counts.withLock { counts in
            guard counts.all < limits.connections else { return false }
            if let address, limits.connectionsPerAddress > 0 {
                guard counts.byAddress[address, default: 0] < limits.connectionsPerAddress else { return false }
                counts.byAddress[address, default: 0] += 1
            }
            counts.all += 1
            return true
        }
        if !isAdmitted { metrics.connectionRefused() }
        return isAdmitted
    }

    /// Removes a connection that was counted.
    func close(_ address: [UInt8]?) {
        counts.withLock { counts in
            counts.all -= 1
            guard let address, let count = counts.byAddress[address] else { return }
            counts.byAddress[address] = count > 1 ? count - 1 : nil
        }
    }

    /// Returns the bytes by which a client is counted; nil for loopback addresses.
    static func key(_ address: String?) -> [UInt8]? {
        guard let address = address.flatMap({ ClientAddress($0) }), !address.isLoopback else { return nil }
        return address.addressPrefix
    }
}

/// An error of a connection beyond a limit, which is closed.
struct ConnectionRefused: Error {}

/// Connections that are counted, and guarded if they use TLS.
struct LimitedChannel<Base: ServerChildChannel>: ServerChildChannel {
    typealias Value = Base.Value

    let base: Base
    let limits: ConnectionLimits
    let counter: ConnectionCounter

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let key = ConnectionCounter.key(channel.remoteAddress?.ipAddress)
        guard counter.open(key) else { return channel.eventLoop.makeFailedFuture(ConnectionRefused()) }
        channel.closeFuture.whenComplete { [counter] _ in counter.close(key) }
        return base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            if let tls = try? pipeline.handler(type: NIOSSLServerHandler.self) {
                try pipeline.addHandler(ConnectionGuard(limits), position: .after(tls))
            }
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
