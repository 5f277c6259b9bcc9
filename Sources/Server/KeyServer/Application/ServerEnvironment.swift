/// A listener whose port is open.
package struct OpenListener: Sendable {
    /// The listener's name.
    package let name: ServerMetrics.Listener
    /// The port that it is bound to.
    package let port: Int
    /// The URL of the listener, without a path.
    package let url: String
    /// True if it serves the dashboard.
    package let hasDashboard: Bool
}

/// The values that a server gets from its process and not from the configuration. A test uses its own.
package struct ServerEnvironment: Sendable {
    /// The version of the program, for the metrics.
    package var version = ""
    /// True if the server runs with `--dev`.
    package var isDevelopment = false
    /// The settings in effect with their origins, for the dashboard.
    package var settings: [EffectiveSetting] = []
    /// The path of the folder with the database, for the metric of its free disk space; nil if the database is not in a
    /// folder.
    package var databaseFolder: String?
    /// The authenticator of the token that creates the stored tokens for administration.
    package var administrator: any AdminAuthenticator
    /// The authorizer of license requests; nil creates one from the configuration.
    package var authorizer: (any PlaybackAuthorizer)?
    /// The threads for documents of encoders; nil creates them.
    package var encoderWork: EncoderWork?
    /// The clocks.
    package var time = ServerTime()
    /// Called when the port of a listener is open.
    package var onListening: @Sendable (OpenListener) async -> Void = { _ in }
    /// Called when the shutdown starts.
    package var onStopping: @Sendable () -> Void = {}

    /// Creates the values of a process in production, with default values for the others.
    package init(administrator: any AdminAuthenticator) { self.administrator = administrator }
}
