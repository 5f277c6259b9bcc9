import CLibpq
package import FPSCrypto
package import KeyStore

/// Which database, and how patiently it is asked.
package struct PostgresSettings: Sendable {
    /// Where it is, in libpq's words: `postgres://user@host:5432/database?sslrootcert=/etc/keyway/ca.pem`. Several hosts
    /// may be named; the one that takes writes is used.
    package let url: String
    /// The password, if the server wants one.
    package let password: SecretBytes?
    /// How many connections one server process keeps: 3 to 100.
    package let connections: Int
    /// For how long a request waits for the database, a lost connection and its return included.
    package let deadline: Duration
    /// Whether nobody on the way can read or change what is sent: the server's certificate is checked, or it is on this
    /// machine.
    package let isProtected: Bool
    /// Parameters that hold where the address says nothing.
    let defaults: [(key: String, value: String)]
    /// What work that has waited for a connection still gets, however late it is: a connection that is given up in the
    /// middle costs more than it saves.
    static let leastTime = Duration.seconds(1)

    /// Makes the settings. Nothing is connected yet.
    ///
    /// Without `sslmode` in the address the server's certificate and name are checked (`verify-full`), unless it is on
    /// this machine.
    ///
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` when the address cannot be read, or has a password in it: addresses
    ///   are shown and logged.
    package init(
        url: String,
        password: SecretBytes? = nil,
        connections: Int = 8,
        deadline: Duration = .seconds(5)
    ) throws(KeyStoreError) {
        let options = try Self.options(of: url)
        if options["password"] != nil || options["sslpassword"] != nil {
            throw Self.invalid("has a password in it; keep that in a file or a variable of the environment")
        }
        guard (3...100).contains(connections) else { throw Self.invalid("takes 3 to 100 connections") }
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

    /// What an address says, by libpq's own parser. Its message is not shown: it repeats the address.
    private static func options(of url: String) throws(KeyStoreError) -> [String: String] {
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://"), !url.utf8.contains(0) else {
            throw invalid("begins with postgres://")
        }
        guard let parsed = PQconninfoParse(url, nil) else {
            throw invalid("cannot be read; it looks like postgres://user@host:5432/database")
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
