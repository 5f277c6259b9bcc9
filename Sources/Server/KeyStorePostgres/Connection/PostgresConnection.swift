import CLibpq
import FPSCrypto
import Glibc

/// A connection to the server, for one thread at a time.
///
/// Every wait is bounded: connecting takes at most two seconds for each host in the address, and every later wait has a
/// deadline, after which the connection is closed. Statements are sent in a pipeline, all of them before the first
/// response is awaited, so that a transaction needs few round trips.
final class PostgresConnection {
    private let handle: OpaquePointer
    /// The names of the statements that this connection has prepared, by SQL text.
    private var prepared: [String: String] = [:]
    /// True if the connection can be used: no error occurred after which client and server are out of step.
    private(set) var isUsable = true

    /// Connects, and configures the session.
    ///
    /// - Throws: ``PostgresFailure``.
    init(_ settings: PostgresSettings, until deadline: ContinuousClock.Instant) throws(PostgresFailure) {
        guard let handle = Self.connect(settings) else { throw .lost("libpq is out of memory") }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK else { throw connectionError() }
        guard PQsetnonblocking(handle, 1) == 0 else { throw connectionError() }
        // A server-side limit for statements whose client no longer waits for them.
        let milliseconds = Int(max(settings.deadline, .seconds(5)) / .milliseconds(1))
        try script(
            """
            SET search_path = keyway, pg_temp;
            SET default_transaction_isolation = 'read committed';
            SET statement_timeout = \(milliseconds);
            SET idle_in_transaction_session_timeout = 2000;
            SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
            """,
            until: deadline
        )
        guard PQenterPipelineMode(handle) == 1 else { throw connectionError() }
    }

    deinit { PQfinish(handle) }

    /// Runs statements in one round trip. If one fails, the statements after it are not run; outside of a transaction,
    /// those before it are rolled back with it.
    ///
    /// - Throws: ``PostgresFailure``: the first error.
    func run(
        _ queries: [PostgresQuery],
        until deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) -> [PostgresResult] {
        guard isUsable else { throw .lost("the connection is closed") }
        guard queries.allSatisfy(\.isSendable) else {
            throw .refused(state: "22021", message: "a text contains a zero byte")
        }
        var preparing: [String?] = []
        for query in queries {
            if prepared[query.sql] == nil, names[query.sql] == nil {
                statementCount += 1
                let name = "s\(statementCount)"
                guard PQsendPrepare(handle, name, query.sql, 0, nil) == 1 else { throw connectionError() }
                preparing.append(query.sql)
                names[query.sql] = name
            }
            preparing.append(nil)
            try send(query)
        }
        guard PQpipelineSync(handle) == 1 else { throw connectionError() }

        var results: [PostgresResult] = []
        results.reserveCapacity(queries.count)
        var failure: PostgresFailure?
        for sql in preparing {
            switch try nextOutcome(until: deadline) {
            case .done(let result):
                if let sql { prepared[sql] = names[sql] } else { results.append(result) }
            case .failed(let error): failure = failure ?? error
            case .skipped: break
            case .synchronized: throw protocolError()
            }
            guard try next(until: deadline) == nil else { throw protocolError() }
        }
        guard case .synchronized = try nextOutcome(until: deadline) else { throw protocolError() }
        names.removeAll(keepingCapacity: true)
        if let failure {
            if case .lost = failure { isUsable = false }
            throw failure
        }
        return results
    }

    /// Runs a text with several statements without parameters, such as a migration. This cannot be part of a pipeline.
    func script(_ sql: String, until deadline: ContinuousClock.Instant) throws(PostgresFailure) {
        let isPipelining = PQpipelineStatus(handle) == PQ_PIPELINE_ON
        if isPipelining, PQexitPipelineMode(handle) != 1 { throw connectionError() }
        guard PQsendQuery(handle, sql) == 1 else { throw connectionError() }
        var failure: PostgresFailure?
        while let result = try next(until: deadline) {
            if case .failed(let error) = Self.outcome(of: result) { failure = failure ?? error }
        }
        if isPipelining, PQenterPipelineMode(handle) != 1 { throw connectionError() }
        if let failure { throw failure }
    }

    // MARK: - Connecting

    /// Connects to each of the hosts in the address in turn, waiting `connect_timeout` for each.
    private static func connect(_ settings: PostgresSettings) -> OpaquePointer? {
        let defaults = settings.defaults.map { ($0.key, $0.value) }
        let fixed = [
            ("fallback_application_name", "keyway-server"), ("client_encoding", "UTF8"),
            ("connect_timeout", "2"),
            // Detect a server that disappears without closing the connection.
            ("tcp_user_timeout", "10000"), ("keepalives_idle", "10"), ("keepalives_interval", "3"),
            ("keepalives_count", "3"),
        ]
        let password = settings.password.map { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
        // Later options take precedence, so the address overrides the defaults.
        let all = defaults + fixed + [("dbname", settings.url)] + (password.map { [("password", $0)] } ?? [])
        let keywords = all.map { strdup($0.0) }
        let values = all.map { strdup($0.1) }
        defer {
            keywords.forEach { free($0) }
            for value in values {
                if let value { explicit_bzero(value, strlen(value)) }
                free(value)
            }
        }
        return PQconnectdbParams(
            keywords.map { UnsafePointer($0) } + [nil],
            values.map { UnsafePointer($0) } + [nil],
            1
        )
    }

    // MARK: - Sending

    /// The names of statements that are being prepared.
    private var names: [String: String] = [:]
    private var statementCount = 0

    private func send(_ query: PostgresQuery) throws(PostgresFailure) {
        let name = prepared[query.sql] ?? names[query.sql] ?? ""
        let encoded = query.values.map(\.encoded)
        // One buffer for all values, with an extra byte so that an empty value has an address, too: a null pointer
        // means NULL.
        let buffer = encoded.reduce(into: [UInt8]()) { $0 += $1 ?? [] } + [0]
        guard buffer.count < Int32.max else { throw .refused(state: "54000", message: "the statement is too large") }
        let isSent = buffer.withUnsafeBytes { bytes in
            let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            var offset = 0
            let addresses = encoded.map { value -> UnsafePointer<CChar>? in
                guard let value, let base else { return nil }
                defer { offset += value.count }
                return base + offset
            }
            let lengths = encoded.map { Int32($0?.count ?? 0) }
            let formats = encoded.map { _ in Int32(1) }
            return PQsendQueryPrepared(handle, name, Int32(encoded.count), addresses, lengths, formats, 1)
        }
        guard isSent == 1 else { throw connectionError() }
    }

    // MARK: - Receiving

    private enum Outcome {
        case done(PostgresResult)
        case failed(PostgresFailure)
        case skipped
        case synchronized
    }

    private func nextOutcome(until deadline: ContinuousClock.Instant) throws(PostgresFailure) -> Outcome {
        guard let result = try next(until: deadline) else { throw protocolError() }
        return Self.outcome(of: result)
    }

    /// Returns the next result of libpq, or nil at the end of a statement's results.
    private func next(until deadline: ContinuousClock.Instant) throws(PostgresFailure) -> LibpqResult? {
        while true {
            // Continue sending while responses arrive; otherwise client and server would wait for each other.
            let flushed = PQflush(handle)
            guard flushed >= 0 else { throw connectionError() }
            if PQisBusy(handle) == 0 { break }
            try wait(for: flushed == 1 ? POLLIN | POLLOUT : POLLIN, until: deadline)
            guard PQconsumeInput(handle) == 1 else { throw connectionError() }
        }
        guard let result = PQgetResult(handle) else {
            guard PQstatus(handle) == CONNECTION_OK else { throw connectionError() }
            return nil
        }
        return LibpqResult(result)
    }

    private static func outcome(of result: LibpqResult) -> Outcome {
        switch PQresultStatus(result.pointer) {
        case PGRES_PIPELINE_SYNC: .synchronized
        case PGRES_PIPELINE_ABORTED: .skipped
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_EMPTY_QUERY: .done(result.copied)
        default: .failed(result.failure)
        }
    }

    // MARK: - Waiting

    private func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws(PostgresFailure) {
        while true {
            let left = (deadline - .now) / .milliseconds(1)
            guard left > 0 else {
                isUsable = false
                throw .lost("the server did not respond in time")
            }
            var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
            let count = poll(&descriptor, 1, Int32(min(left.rounded(.up), 60_000)))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw connectionError() }
        }
    }

    /// Returns libpq's error of the connection, in one line. It contains hosts and users, but never a password.
    private func connectionError() -> PostgresFailure {
        isUsable = false
        let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        let line = message.split(whereSeparator: \.isNewline).joined(separator: "; ")
        return .lost(line.isEmpty ? "the connection was lost" : line)
    }

    private func protocolError() -> PostgresFailure {
        guard PQstatus(handle) == CONNECTION_OK else { return connectionError() }
        isUsable = false
        return .lost("the server sent an unexpected response")
    }
}
