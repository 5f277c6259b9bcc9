package import KeyStore

/// The user who makes a change, and the interface used: the part that the audit records of all changes have in common.
package struct AdminActor: Sendable {
    /// The token's name, or the name of the system user.
    let name: String
    /// The route pattern, or `command: ` followed by the words of the command.
    let route: String
    /// The time at which the change started, in milliseconds since 1970.
    let milliseconds: Int64
    /// A stopwatch that was started at the same time.
    private let stopwatch: Stopwatch
    /// The request ID of the response.
    var requestID: String?
    /// The client address of the request.
    var remoteAddress: String?

    init(name: String, route: String, milliseconds: Int64, stopwatch: Stopwatch = Stopwatch()) {
        self.name = name
        self.route = route
        self.milliseconds = milliseconds
        self.stopwatch = stopwatch
    }

    /// Creates the actor of a command.
    ///
    /// - Parameters:
    ///   - command: The words of the command without the program's name, such as `keys export`.
    ///   - user: The name of the system user.
    package init(command: String, user: String, milliseconds: Int64 = systemMilliseconds()) {
        self.init(name: user, route: "command: \(command)", milliseconds: milliseconds)
    }

    /// The time at which the change started, in Unix seconds.
    var now: Int64 { milliseconds / 1_000 }

    /// Returns the audit record of a change. It names the actor, and never contains a token.
    ///
    /// - Parameters:
    ///   - outcome: The kind of change without the prefix `admin-`, such as `title-put`.
    ///   - what: The description of the change.
    package func audit(_ outcome: String, _ what: String) -> AuditRecord {
        var record = AuditRecord(
            milliseconds: milliseconds,
            route: route,
            outcome: "admin-\(outcome)",
            microseconds: stopwatch.microseconds
        )
        record.detail = "by \(name): \(what)"
        record.actor = name
        record.requestID = requestID
        record.remoteAddress = remoteAddress
        return record
    }
}
