/// The limits of one listener. Clients cannot influence them: slow or silent clients are disconnected, and excess
/// requests are refused.
package struct ListenerLimits: Sendable {
    /// The time from the opening of a connection to the end of its first request head.
    package var headDeadline: Duration = .seconds(10)
    /// The time from the end of the head to the end of the body, independent of progress.
    package var bodyDeadline: Duration = .seconds(10)
    /// The time from the end of a response to the end of the next head.
    package var idleTimeout: Duration = .seconds(60)
    /// The time without progress in sending a response.
    package var writeTimeout: Duration = .seconds(30)
    /// The maximum number of open connections; beyond it, only the health routes are answered. The default is below the
    /// usual limit of 1,024 open files.
    package var connections = 900
    /// The maximum number of open connections of one address; 0 means unlimited.
    package var connectionsPerAddress = 200
    /// The maximum size of all header fields of a request, in bytes.
    package var headerBytes = 16_384
    /// The maximum number of header fields of a request.
    package var headerFields = 100
    /// The maximum body size of the license routes, in bytes. It is a hundred times the size of an SPC.
    package var licenseBody = 65_536
    /// The maximum number of licenses in one request.
    package var batch = 32

    /// Creates limits with the defaults.
    package init() {}
}
