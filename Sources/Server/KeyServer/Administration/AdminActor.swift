package import KeyStore

/// Who administers, and by what way: what the audit records of all changes have in common.
package struct AdminActor: Sendable {
    /// The token's name, or the system's user.
    let name: String
    /// The route as it stands in the router, or `command: ` and the command's words.
    let route: String
    /// When it began, in milliseconds since 1970.
    let milliseconds: Int64
    /// Was started then.
    private let stopwatch: Stopwatch
    /// The ID that the answer carries.
    var requestID: String?
    /// Where the request came from.
    var remoteAddress: String?

    init(name: String, route: String, milliseconds: Int64, stopwatch: Stopwatch = Stopwatch()) {
        self.name = name
        self.route = route
        self.milliseconds = milliseconds
        self.stopwatch = stopwatch
    }

    /// Somebody at the command line.
    ///
    /// - Parameters:
    ///   - command: the words that follow the program's name, such as `keys export`.
    ///   - user: the system's user.
    package init(command: String, user: String, milliseconds: Int64 = systemMilliseconds()) {
        self.init(name: user, route: "command: \(command)", milliseconds: milliseconds)
    }

    /// When it began, in Unix seconds.
    var now: Int64 { milliseconds / 1_000 }

    /// The audit record of a change. It names who made it, and never holds a token.
    ///
    /// - Parameters:
    ///   - outcome: the kind of change, which `admin-` is put before: `title-put`.
    ///   - what: what was changed, in words.
    package func audit(_ outcome: String, _ what: String) -> AuditRecord {
        var record = AuditRecord(
            milliseconds: milliseconds,
            route: route,
            outcome: "admin-\(outcome)",
            microseconds: stopwatch.microseconds
        )
        record.detail = "by \(name): \(what)"
        record.requestID = requestID
        record.remoteAddress = remoteAddress
        return record
    }
}
