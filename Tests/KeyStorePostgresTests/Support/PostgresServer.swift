import FPSCrypto
import Foundation
import KeyStore
import KeyStoreTests

@testable import KeyStorePostgres

/// The PostgreSQL server of the tests: one per process, in a temporary folder, on a Unix socket, run by an unprivileged
/// user, and stopped with the process, however the process ends.
actor PostgresServer {
    static let shared = PostgresServer()

    /// The path of the server's programs; nil if PostgreSQL is not installed.
    static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(root)/\($0)/bin" }
            .first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }()
    static let isInstalled = programs != nil

    private let folder = TemporaryFolder()
    private let password = UUID().uuidString
    private var start: Task<Void, any Error>?
    /// The server's end of this pipe closes with the process, and then the script below stops the server.
    private let lifeline = Pipe()
    private let process = Process()
    /// The maximum number of databases at the same time; each has several connections.
    private var free = 4
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs a test with its own empty database.
    func withDatabase<Value: Sendable>(
        _ body: @Sendable (PostgresSettings) async throws -> Value
    ) async throws -> Value {
        await enter()
        defer { leave() }
        try await run()
        let name = "test_" + UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
        try execute("CREATE DATABASE \(name)")
        let result: Result<Value, any Error>
        do { result = .success(try await body(try settings(name))) } catch { result = .failure(error) }
        try execute("DROP DATABASE \(name) WITH (FORCE)")
        return try result.get()
    }

    /// Returns the settings for a database, over the server's socket or another one in `folder`.
    nonisolated func settings(
        _ database: String,
        through folder: String? = nil,
        connections: Int = 4,
        deadline: Duration = .seconds(60)
    ) throws -> PostgresSettings {
        let host = (folder ?? socketFolder).replacingOccurrences(of: "/", with: "%2F")
        return try PostgresSettings(
            url: "postgres://keyway@\(host)/\(database)",
            password: SecretBytes(copying: Array(password.utf8)),
            connections: connections,
            deadline: deadline
        )
    }

    /// The folder of the server's socket.
    nonisolated var socketFolder: String { folder.path }

    private func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }

    private func execute(_ sql: String) throws {
        let connection = try PostgresConnection(try settings("postgres"), until: .now + .seconds(120))
        try connection.script(sql, until: .now + .seconds(120))
    }

    private func run() async throws {
        if start == nil { start = Task { try launch() } }
        try await start?.value
    }

    private func launch() throws {
        guard let programs = Self.programs else { throw CocoaError(.fileNoSuchFile) }
        folder.write(password, to: "password")
        var arguments = ["/bin/sh", "-c", Self.script, "sh", folder.path, programs]
        if geteuid() == 0 {
            // The server refuses to run as root.
            for path in [folder.path, folder.path + "/password"] { chown(path, 65_534, 65_534) }
            arguments = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + arguments
        }
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: "/")
        process.standardInput = lifeline
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // A line when the server accepts connections; nothing if it has stopped.
        guard !output.fileHandleForReading.availableData.isEmpty else {
            throw CocoaError(.executableLoad, userInfo: [NSLocalizedDescriptionKey: "PostgreSQL did not start"])
        }
    }

    // The data does not have to survive a power failure.
    private static let script = """
        set -e
        exec 3>&1 >"$1/log" 2>&1
        "$2/initdb" -D "$1/data" -U keyway --auth=scram-sha-256 --pwfile="$1/password" -E UTF8 --locale=C --no-sync
        "$2/postgres" -D "$1/data" -k "$1" -c listen_addresses= -c fsync=off -c max_connections=100 \\
            -c shared_buffers=64MB -c max_wal_size=256MB -c autovacuum=off 3>&- </dev/null &
        server=$!
        trap 'kill -QUIT $server; wait $server || true; rm -rf "$1" || true' EXIT
        until "$2/pg_isready" -q -h "$1"; do kill -0 $server; sleep 0.05; done
        echo ready >&3
        exec 3>&-
        cat >/dev/null
        """
}

extension PostgresKeyStore {
    /// Opens a store with the given key, or a new one.
    static func open(_ settings: PostgresSettings, _ key: KeyEncryptionKey? = nil) async throws -> PostgresKeyStore {
        let key = try key ?? KeyEncryptionKey.generate()
        return try await open(settings) { _ in [key] }
    }
}
