/// What one listener grants its clients. None of it depends on how a client behaves: a slow or silent one is cut off,
/// a talkative one is refused.
package struct ListenerLimits: Sendable {
    /// From the opening of a connection to the end of its first head.
    package var headDeadline: Duration = .seconds(10)
    /// From the end of the head to the end of the body, however steadily the body trickles in.
    package var bodyDeadline: Duration = .seconds(10)
    /// From the end of an answer to the end of the next head.
    package var idleTimeout: Duration = .seconds(60)
    /// How long a client may take none of an answer's bytes.
    package var writeTimeout: Duration = .seconds(30)
    /// How many connections may be open; beyond them, only the health routes are answered. Below the usual limit of 1,024 open
    /// files.
    package var connections = 900
    /// How many of them one address may have; 0 means as many as there are.
    package var connectionsPerAddress = 200
    /// Names and values of all header fields of a request, in bytes.
    package var headerBytes = 16_384
    /// Header fields of a request.
    package var headerFields = 100
    /// The body of a request on the license routes, in bytes. A hundred times what an SPC needs.
    package var licenseBody = 65_536
    /// Licenses in one request.
    package var batch = 32

    /// The defaults.
    package init() {}
}
