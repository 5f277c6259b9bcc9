import Synchronization

/// Counts the open connections of one listener, and determines what a new connection may be used for.
///
/// Every connection is accepted. Otherwise a client that opens all connections would make a health check fail, because
/// the check would wait in the kernel's queue, and the server would be restarted. A connection beyond a limit is for
/// the health routes only: other requests on it are refused. The number of these connections is limited too. A new one
/// replaces the one that has been silent for the longest time, so that idle connections cannot use them up.
package final class ConnectionLimiter: Sendable {
    /// The limit that a connection exceeds.
    package enum Limit: String, Sendable, CaseIterable {
        /// The limit of its address.
        case address
        /// The limit of the listener.
        case server
    }

    /// The permitted use of a connection.
    enum Admission: Equatable {
        /// All routes.
        case everything
        /// The health routes only, because a limit is exceeded.
        case health(Limit)
        /// No routes: the connection is closed.
        case nothing
    }

    /// A counted connection.
    struct Ticket {
        let id: UInt64
        let admission: Admission
    }

    fileprivate struct Connection {
        /// The address prefix that the connection counts for; nil if only the listener's limit applies.
        let addressPrefix: [UInt8]?
        let isForHealth: Bool
    }

    /// A connection for the health routes that has not sent a request.
    fileprivate struct SilentConnection {
        let id: UInt64
        let addressPrefix: [UInt8]?
        let limit: Limit
        let close: @Sendable () -> Void
    }

    fileprivate struct State {
        var nextID: UInt64 = 0
        var connections: [UInt64: Connection] = [:]
        /// The number of unrestricted connections, in total and by address.
        var full = 0
        var fullByAddress: [[UInt8]: Int] = [:]
        /// The number of connections for the health routes, in total and by address.
        var health = 0
        var healthByAddress: [[UInt8]: Int] = [:]
        /// The silent connections, oldest first.
        var silent: [SilentConnection] = []
    }

    /// The maximum number of connections for the health routes beyond the limits.
    package static let healthConnections = 64
    /// The maximum number of these connections for one address, so that one client cannot use them all.
    static let healthConnectionsPerAddress = 16

    private let maximum: Int
    private let maximumPerAddress: Int
    private let proxies: TrustedProxies
    private let listener: ServerMetrics.Listener
    private let metrics: ServerMetrics?
    private let state = Mutex(State())

    /// Creates a limiter for one listener.
    ///
    /// - Parameters:
    ///   - limits: The limits, of which those for connections are used.
    ///   - proxies: The trusted proxies. Their connections carry many clients, so that only the listener's limit
    ///     applies.
    ///   - listener: The listener's name in the metrics.
    ///   - metrics: The metrics for refused connections.
    package init(
        limits: ListenerLimits,
        proxies: TrustedProxies = .none,
        listener: ServerMetrics.Listener = .apps,
        metrics: ServerMetrics? = nil
    ) {
        maximum = limits.connections
        maximumPerAddress = limits.connectionsPerAddress
        self.proxies = proxies
        self.listener = listener
        self.metrics = metrics
    }

    /// The number of open connections.
    package var count: Int { state.withLock { $0.connections.count } }

    /// Counts a connection until ``close(_:)``.
    ///
    /// - Parameters:
    ///   - address: The client's address, if there is one.
    ///   - close: Closes the connection, from any thread; called if another connection replaces it.
    func open(from address: ClientAddress?, close: @escaping @Sendable () -> Void) -> Ticket {
        let addressPrefix = address.flatMap { isLimited($0) ? $0.addressPrefix : nil }
        let (ticket, refused, displaced) = state.withLock { state -> (Ticket, Limit?, SilentConnection?) in
            let id = state.nextID
            state.nextID += 1
            guard let limit = exceeded(by: addressPrefix, state) else {
                state.add(Connection(addressPrefix: addressPrefix, isForHealth: false), id)
                return (Ticket(id: id, admission: .everything), nil, nil)
            }
            let (isAdmitted, displaced) = state.admitForHealth(addressPrefix)
            guard isAdmitted else { return (Ticket(id: id, admission: .nothing), limit, nil) }
            state.add(Connection(addressPrefix: addressPrefix, isForHealth: true), id)
            state.silent.append(SilentConnection(id: id, addressPrefix: addressPrefix, limit: limit, close: close))
            return (Ticket(id: id, admission: .health(limit)), displaced?.limit, displaced)
        }
        if let refused { metrics?.connectionRefused(by: refused, listener) }
        displaced?.close()
        return ticket
    }

    /// Marks a connection for the health routes as used, so that it is not replaced.
    func use(_ ticket: Ticket) { state.withLock { $0.silent.removeAll { $0.id == ticket.id } } }

    /// Counts a refused request on a connection beyond a limit.
    func refuse(by limit: Limit) { metrics?.connectionRefused(by: limit, listener) }

    /// Removes a connection that was closed.
    func close(_ ticket: Ticket) { state.withLock { $0.remove(ticket.id) } }

    /// Whether an address is limited. Loopback addresses are not limited, as with rate limits, so that a proxy on this
    /// machine does not have to be configured.
    private func isLimited(_ address: ClientAddress) -> Bool {
        maximumPerAddress > 0 && !address.isLoopback && !proxies.contains(address)
    }

    private func exceeded(by addressPrefix: [UInt8]?, _ state: State) -> Limit? {
        if let addressPrefix, state.fullByAddress[addressPrefix, default: 0] >= maximumPerAddress { return .address }
        return state.full >= maximum ? .server : nil
    }
}

extension ConnectionLimiter.State {
    fileprivate mutating func add(_ connection: ConnectionLimiter.Connection, _ id: UInt64) {
        connections[id] = connection
        change(connection, by: 1)
    }

    /// Removes a connection. It does nothing if the connection was replaced, because it was removed then.
    fileprivate mutating func remove(_ id: UInt64) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        change(connection, by: -1)
        if connection.isForHealth { silent.removeAll { $0.id == id } }
    }

    private mutating func change(_ connection: ConnectionLimiter.Connection, by difference: Int) {
        let counts = connection.isForHealth ? \Self.healthByAddress : \Self.fullByAddress
        if connection.isForHealth { health += difference } else { full += difference }
        guard let addressPrefix = connection.addressPrefix else { return }
        let count = self[keyPath: counts][addressPrefix, default: 0] + difference
        self[keyPath: counts][addressPrefix] = count > 0 ? count : nil
    }

    /// Checks the capacity for a health connection, and replaces a silent one if needed: one of the same address if
    /// that address has reached its limit.
    fileprivate mutating func admitForHealth(
        _ addressPrefix: [UInt8]?
    ) -> (isAdmitted: Bool, displaced: ConnectionLimiter.SilentConnection?) {
        let index: Int?
        if let addressPrefix,
            healthByAddress[addressPrefix, default: 0] >= ConnectionLimiter.healthConnectionsPerAddress
        {
            index = silent.firstIndex { $0.addressPrefix == addressPrefix }
        } else if health >= ConnectionLimiter.healthConnections {
            index = silent.indices.first
        } else {
            return (true, nil)
        }
        guard let index else { return (false, nil) }
        let displaced = silent[index]
        remove(displaced.id)
        return (true, displaced)
    }
}
