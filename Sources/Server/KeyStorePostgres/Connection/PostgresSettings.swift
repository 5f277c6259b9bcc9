import CLibpq
package import FPSCrypto
package import KeyStore

/// The settings of the database connection.
package struct PostgresSettings: Sendable {
    /// The address in libpq's format: `postgres://user@host:5432/database?sslrootcert=/etc/keyway/ca.pem`. It may
    /// contain several hosts; the one that accepts writes is used.
    package let url: String
    /// The password, if the server requires one.
    package let password: SecretBytes?
    /// The number of connections of a server process: 3 to 100.
    package let connections: Int
    /// How long a request waits for the database, including the time to re-establish a lost connection.
    package let deadline: Duration
    /// True if the connection is protected against eavesdropping and changes: the server's certificate is verified, or
    /// the server runs on this machine.
    package let isProtected: Bool
    /// Parameters for which the address specifies no value.
    let defaults: [(key: String, value: String)]
    /// The minimum time for work that has waited for a connection, even if it exceeds its deadline, because closing a
    /// connection in the middle of the work costs more than it saves.
    static let minimumTime = Duration.seconds(1)

    /// Creates the settings, without connecting.
    ///
    /// If the address does not contain `sslmode`, the server's certificate and name are verified (`verify-full`),
    /// unless the server runs on this machine.
    ///
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if the address is invalid, or if it contains a password, because
    ///   addresses are displayed and logged.
    package init(
        url: String,
        password: SecretBytes? = nil,
        connections: Int = 8,
        deadline: Duration = .seconds(5)
    ) throws(KeyStoreError) {
        let options = try Self.options(of: url)
        if options["password"] != nil || options["sslpassword"] != nil {
            throw Self.invalid("it contains a password; use a password file or an environment variable instead")
        }
        guard (3...100).contains(connections) else { throw Self.invalid("the number of connections must be 3 to 100") }
        let hosts = (options["host"] ?? options["hostaddr"] ?? "").split(separator: ",")
        let isLocal = hosts.allSatisfy { host in
            host.hasPrefix("/") || host.hasPrefix("@") || ["localhost", "127.0.0.1", "::1"].contains(host)
        }
        var defaults = [("target_session_attrs", "read-write")]
        if !isLocal { defaults.append(("sslmode", "verify-full")) }
        isProtected = isLocal || options["sslmode", default: "verify-full"] == "verify-full"
        self.url = url
        self.password = password
        self.connections = connections
        self.deadline = deadline
        self.defaults = defaults.map { (key: $0.0, value: $0.1) }
    }

    /// Returns the parameters of an address, parsed by libpq. Its error message is not used, because it repeats the
    /// address.
    private static func options(of url: String) throws(KeyStoreError) -> [String: String] {
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://"), !url.utf8.contains(0) else {
            throw invalid("it must start with postgres://")
        }
        guard let parsed = PQconninfoParse(url, nil) else {
            throw invalid("it is malformed; expected an address such as postgres://user@host:5432/database")
        }
        defer { PQconninfoFree(parsed) }
        var options: [String: String] = [:]
        var option = parsed
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { options[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return options
    }

    private static func invalid(_ reason: String) -> KeyStoreError {
        KeyStoreError(.invalidRecord, place: "PostgreSQL's address", reason: reason)
    }
}
