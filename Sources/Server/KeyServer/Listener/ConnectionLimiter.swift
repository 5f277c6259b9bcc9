import Synchronization

/// Counts the open connections of one listener, and decides what a new one may be used for.
///
/// Every connection is accepted. One that waits in the kernel's queue cannot ask whether the server is alive, so that a client
/// that holds all connections would have a health check restart the server. A connection beyond a limit is for the health
/// routes alone: other requests on it are refused. There is room for a few of those at a time, and a new one takes the place of
/// the one that has been silent for longest, so that idle connections cannot fill that room either.
package final class ConnectionLimiter: Sendable {
    /// The limit that a connection exceeds.
    package enum Limit: String, Sendable, CaseIterable {
        /// That of its address.
        case address
        /// That of the listener.
        case server
    }

    /// What a connection may be used for.
    enum Admission: Equatable {
        /// Everything.
        case everything
        /// The health routes, since a limit is exceeded.
        case health(Limit)
        /// Nothing: it is closed.
        case nothing
    }

    /// A connection that was counted.
    struct Ticket {
        let id: UInt64
        let admission: Admission
    }

    fileprivate struct Connection {
        /// Whom it is counted for; nil where only the listener's limit applies.
        let site: [UInt8]?
        let isForHealth: Bool
    }

    /// A connection for the health routes that has not sent a request.
    fileprivate struct Silent {
        let id: UInt64
        let site: [UInt8]?
        let limit: Limit
        let close: @Sendable () -> Void
    }

    fileprivate struct State {
        var nextID: UInt64 = 0
        var connections: [UInt64: Connection] = [:]
        /// Connections for everything, and those of each address.
        var full = 0
        var fullBySite: [[UInt8]: Int] = [:]
        /// Connections for the health routes, and those of each address.
        var health = 0
        var healthBySite: [[UInt8]: Int] = [:]
        /// The oldest first.
        var silent: [Silent] = []
    }

    /// Connections for the health routes beyond the limits.
    package static let healthConnections = 64
    /// Those of one address, so that one client cannot take them all.
    static let healthConnectionsPerAddress = 16

    private let maximum: Int
    private let maximumPerAddress: Int
    private let proxies: TrustedProxies
    private let listener: ServerMetrics.Listener
    private let metrics: ServerMetrics?
    private let state = Mutex(State())

    /// Makes a limiter for one listener.
    ///
    /// - Parameters:
    ///   - limits: of which the numbers of connections are taken.
    ///   - proxies: whose connections carry many clients, and are limited by the listener's limit alone.
    ///   - listener: the listener's name in the metrics.
    ///   - metrics: where refused connections are counted.
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

    /// How many connections are open.
    package var count: Int { state.withLock { $0.connections.count } }

    /// Counts a connection until ``close(_:)``.
    ///
    /// - Parameters:
    ///   - address: the other end; nil where there is none.
    ///   - close: closes the connection, from any thread; called when another takes its place.
    func open(from address: ClientAddress?, close: @escaping @Sendable () -> Void) -> Ticket {
        let site = address.flatMap { isLimited($0) ? $0.site : nil }
        let (ticket, refused, displaced) = state.withLock { state -> (Ticket, Limit?, Silent?) in
            let id = state.nextID
            state.nextID += 1
            guard let limit = exceeded(by: site, state) else {
                state.add(Connection(site: site, isForHealth: false), id)
                return (Ticket(id: id, admission: .everything), nil, nil)
            }
            let (hasRoom, displaced) = state.makeRoomForHealth(site)
            guard hasRoom else { return (Ticket(id: id, admission: .nothing), limit, nil) }
            state.add(Connection(site: site, isForHealth: true), id)
            state.silent.append(Silent(id: id, site: site, limit: limit, close: close))
            return (Ticket(id: id, admission: .health(limit)), displaced?.limit, displaced)
        }
        if let refused { metrics?.connectionRefused(by: refused, listener) }
        displaced?.close()
        return ticket
    }

    /// A connection for the health routes asks for one: it keeps its place until it is closed.
    func use(_ ticket: Ticket) { state.withLock { $0.silent.removeAll { $0.id == ticket.id } } }

    /// Counts a request that a connection beyond a limit was refused.
    func refuse(by limit: Limit) { metrics?.connectionRefused(by: limit, listener) }

    /// A connection has ended.
    func close(_ ticket: Ticket) { state.withLock { $0.remove(ticket.id) } }

    /// Loopback addresses are not limited, as by the rate limits: a proxy on this machine need not be named.
    private func isLimited(_ address: ClientAddress) -> Bool {
        maximumPerAddress > 0 && !address.isLoopback && !proxies.contains(address)
    }

    private func exceeded(by site: [UInt8]?, _ state: State) -> Limit? {
        if let site, state.fullBySite[site, default: 0] >= maximumPerAddress { return .address }
        return state.full >= maximum ? .server : nil
    }
}

extension ConnectionLimiter.State {
    fileprivate mutating func add(_ connection: ConnectionLimiter.Connection, _ id: UInt64) {
        connections[id] = connection
        change(connection, by: 1)
    }

    /// Does nothing for a connection that is not counted any more: one that was displaced is removed before it is closed.
    fileprivate mutating func remove(_ id: UInt64) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        change(connection, by: -1)
        if connection.isForHealth { silent.removeAll { $0.id == id } }
    }

    private mutating func change(_ connection: ConnectionLimiter.Connection, by difference: Int) {
        let counts = connection.isForHealth ? \Self.healthBySite : \Self.fullBySite
        if connection.isForHealth { health += difference } else { full += difference }
        guard let site = connection.site else { return }
        let count = self[keyPath: counts][site, default: 0] + difference
        self[keyPath: counts][site] = count > 0 ? count : nil
    }

    /// Takes the place of a silent connection, if one must: of the same address when that has its share.
    fileprivate mutating func makeRoomForHealth(
        _ site: [UInt8]?
    ) -> (hasRoom: Bool, displaced: ConnectionLimiter.Silent?) {
        let index: Int?
        if let site, healthBySite[site, default: 0] >= ConnectionLimiter.healthConnectionsPerAddress {
            index = silent.firstIndex { $0.site == site }
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
