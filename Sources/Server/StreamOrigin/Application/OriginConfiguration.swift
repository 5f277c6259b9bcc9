package import HTTPListening

/// The settings of an origin.
package struct OriginConfiguration: Sendable {
    /// The files of a TLS certificate.
    package struct TLS: Sendable {
        /// The path of a PEM file with the certificate, followed by its issuers.
        package var certificate: String
        /// The path of a PEM file with the unencrypted private key.
        package var key: String

        /// Creates the paths.
        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// The served folder.
    package var folder: String
    /// The address for players and packagers.
    package var listen = ListenAddress(host: "127.0.0.1", port: 8080)
    /// The address for metrics; nil for none.
    package var metricsListen: ListenAddress?
    /// The TLS certificate; without it, the origin uses HTTP/1.1 without TLS.
    package var tls: TLS?
    /// The path of the file with the tokens of packagers; nil if the origin accepts no uploads.
    package var tokens: String?
    /// The web pages whose scripts may read responses.
    package var crossOrigin = CrossOriginPolicy.any
    /// The maximum number of channels.
    package var channels = 1000
    /// The maximum number of bytes of each channel's segments in memory.
    package var channelMemory = 256 << 20
    /// The limits of connections.
    package var connections = ConnectionLimits()
    /// The limits of uploads.
    package var uploads = UploadLimits()
    /// The time for requests to end after the server was told to end.
    package var shutdownGrace: Duration = .seconds(10)
    /// The interval at which the folder is read if the system does not report changes.
    package var pollInterval: Duration = .milliseconds(50)
    /// The version for metrics.
    package var version = ""

    /// Creates the default settings for a folder.
    package init(folder: String) { self.folder = folder }
}
