/// What one listener grants its clients. None of it depends on how a client behaves: a slow or silent one is cut off,
/// a talkative one is refused.
public struct ListenerLimits: Sendable {
    /// From the opening of a connection to the end of its first head.
    public var headDeadline: Duration = .seconds(10)
    /// From the end of the head to the end of the body, however steadily the body trickles in.
    public var bodyDeadline: Duration = .seconds(10)
    /// From the end of an answer to the end of the next head.
    public var idleTimeout: Duration = .seconds(60)
    /// How long a client may take none of an answer's bytes.
    public var writeTimeout: Duration = .seconds(30)
    /// How many connections may be open; beyond them, only the health routes are answered. Below the usual limit of 1,024 open
    /// files.
    public var connections = 900
    /// How many of them one address may have; 0 means as many as there are.
    public var connectionsPerAddress = 200
    /// Names and values of all header fields of a request, in bytes.
    public var headerBytes = 16_384
    /// Header fields of a request.
    public var headerFields = 100
    /// The body of a request on the licence routes, in bytes. A hundred times what an SPC needs.
    public var licenseBody = 65_536
    /// Licences in one request.
    public var batch = 32

    /// The defaults.
    public init() {}
}
