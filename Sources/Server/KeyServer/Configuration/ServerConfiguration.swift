package import KeyServerModule
package import Logging

/// The configuration of the server: the values of all settings, without their origins.
package struct ServerConfiguration: Sendable, Equatable {
    /// The source of the key-encryption key: a file in the data folder if nothing is set.
    package struct KeyEncryption: Sendable, Equatable {
        /// The path of a file with 64 hexadecimal digits.
        package var file: String?
        /// The name of an environment variable with the digits.
        package var variable: String?
        /// A shell command that prints the digits, for example one that queries a key management service.
        package var command: String?

        /// True if no source is configured, so that the key is in the data folder.
        var isInDataFolder: Bool { file == nil && variable == nil && command == nil }
        /// True if exactly one source is configured.
        var hasOneSource: Bool { [file, variable, command].count { $0 != nil } == 1 }
    }

    /// The settings of the PostgreSQL connections; used if ``ServerConfiguration/store`` is set.
    package struct Postgres: Sendable, Equatable {
        /// The path of a file with the password, mode 0600.
        package var passwordFile: String?
        /// The name of an environment variable with the password.
        package var passwordVariable: String?
        /// The number of connections in the pool of one server process.
        package var connections = 8
        /// The time limit for a database request.
        package var deadline = Seconds(rawValue: 5)
    }

    /// TLS for both listeners; off without files.
    package struct TLS: Sendable, Equatable {
        /// The path of the certificate chain, PEM.
        package var certificate: String?
        /// The path of the certificate's private key, PEM.
        package var key: String?
        /// The interval at which the files are read again.
        package var reload = Seconds(rawValue: 60)
    }

    /// The certificate bundles in the store, which decrypt SPCs.
    package struct Certificates: Sendable, Equatable {
        /// The interval at which the server checks the store for changes.
        package var reload = Seconds(rawValue: 10)
        /// The names of the bundles whose plug-ins run in the server's process.
        package var pluginsInProcess: [String] = []
        /// The maximum time of a call of a plug-in in a process of its own.
        package var pluginDeadline = Seconds(rawValue: 2)
        /// The bound of such a process's resident memory, in MiB.
        package var pluginMemory = 256
    }

    /// The listener for administration and metrics.
    package struct Admin: Sendable, Equatable {
        /// The address to listen on; nil turns the listener off.
        package var listen: ListenAddress?
        /// True if other machines may reach the address.
        package var allowRemote = false
        /// The path of a PEM file with the CA of encoders' client certificates; nil means that no client certificate is
        /// requested.
        package var clientCA: String?
    }

    /// A trusted issuer of playback tokens.
    package struct TokenIssuer: Sendable, Equatable {
        /// A signature algorithm.
        package enum Algorithm: String, Sendable, CaseIterable {
            /// HMAC with SHA-256: every party that can verify a token can also create one.
            case hs256 = "HS256"
            /// ECDSA on P-256 with SHA-256.
            case es256 = "ES256"
            /// RSA with SHA-256.
            case rs256 = "RS256"
        }

        /// The value of the `iss` claim.
        package var issuer = ""
        /// The value of the `aud` claim. It is required; nil means that the configuration lacks it.
        package var audience: String?
        /// The accepted signature algorithms.
        package var algorithms: [Algorithm] = [.es256]
        /// The path or the `https` URL of the JWKS.
        package var jwks = ""
        /// The allowed clock difference.
        package var clockSkew = Seconds(rawValue: 30)
        /// True if a token's policy may be less strict than the content's.
        package var allowPolicyOverride = false
    }

    /// The operator's service that authorizes requests.
    package struct Webhook: Sendable, Equatable {
        /// The URL; `https`, or `http` on a loopback address.
        package var url = ""
        /// The path of a file with the secret that signs requests to the webhook.
        package var secretFile: String?
        /// The time limit for a response.
        package var timeout = Seconds(rawValue: 2)
        /// The number of retries: 0 to 2.
        package var retries = 2
        /// True if requests without a token are sent to the webhook too.
        package var allowMissingToken = false
        /// True if a policy in the webhook's response may be less strict than the content's.
        package var allowPolicyOverride = false
    }

    /// The authorization of license requests: exactly one of the three.
    package struct Authorization: Sendable, Equatable {
        /// The issuers whose tokens authorize requests.
        package var tokens: [TokenIssuer] = []
        /// The webhook that authorizes requests.
        package var webhook: Webhook?
        /// True if all requests are allowed, because a service in front of this server authorizes them.
        package var none = false
    }

    /// The settings of signed key URLs.
    package struct KeyURLs: Sendable, Equatable {
        /// The path of a file with the secret that signs the URLs; nil means that no URLs are issued.
        package var secretFile: String?
        /// The lifetime of a URL.
        package var lifetime = Seconds(rawValue: 300)
    }

    /// A live channel whose key periods are created ahead of time.
    package struct Channel: Sendable, Equatable {
        /// The name of the title.
        package var title = ""
        /// The name of the track.
        package var track = ""
        /// The duration of a period.
        package var length = Seconds(rawValue: 600)
        /// How far ahead of time periods are created.
        package var ahead = Seconds(rawValue: 7_200)

        /// The plan of the key periods; nil if the values are not valid.
        package var plan: KeyPeriodPlan? {
            guard !title.isEmpty, !track.isEmpty else { return nil }
            return KeyPeriodPlan(
                title: title,
                track: track,
                length: Int64(length.rawValue),
                ahead: Int64(ahead.rawValue)
            )
        }
    }

    /// The path of a build of hls.js for the playback page, an ES module that defines `globalThis.Hls`; nil for none.
    package var playerLibrary: String?
    /// Settings that apply to all licenses.
    package struct Licenses: Sendable, Equatable {
        /// The FPS protocol versions that are supported.
        package var protocolVersions: [UInt32] = [1]
        /// The maximum age of an SPC; a policy may override it.
        package var maximumSPCAge = Seconds(rawValue: 6 * 3600)
        /// The time in which a repeated request is a retry.
        package var retryGrace = Seconds(rawValue: 20)
        /// The time for which a slot stays occupied after its lease expires.
        package var leaseSkew = Seconds(rawValue: 30)
        /// The time for which a preloaded key occupies a slot.
        package var reservation = Seconds(rawValue: 120)
        /// The time for which a risk that a device reported applies to it.
        package var reportBinding = Seconds(rawValue: 24 * 3600)
        /// True if each CKC is decrypted and checked before it is sent.
        package var checkBeforeIssuing = false
        /// True if responses with a license have headers with what the device reported.
        package var deviceHeaders = false
        /// How clients send license requests.
        package var requests = LicenseRequestRules()
        /// The clients without FairPlay that may get raw keys, where a policy allows it too.
        package var otherClients: Set<OtherClientKind> = []
        /// The settings of signed key URLs.
        package var keyURLs = KeyURLs()
    }

    /// Whether crypto_mb performs several RSA operations at once.
    package enum MultiBuffer: Sendable, Equatable {
        /// Use crypto_mb if it is installed and supports this processor.
        case auto
        /// Do not load a library.
        case off
        /// Use the library at this path; the server does not start if it cannot be loaded.
        case library(String)
    }

    /// The limits on concurrency and on request rates.
    package struct Limits: Sendable, Equatable {
        /// The number of threads for RSA; 0 means one for each core.
        package var threads = 0
        /// The number of requests that may wait for each thread.
        package var queue = 64
        /// True if several RSA operations are performed at once.
        package var multiBuffer = MultiBuffer.auto
        /// The maximum number of licenses in one request.
        package var batch = 32
        /// The maximum number of open connections of a listener.
        package var connections = 900
        /// The maximum number of open connections of one address on a listener; 0 means unlimited.
        package var connectionsPerAddress = 200
        /// The rate limits per account and per address.
        package var rates = RateLimits()
    }

    /// The settings of the log.
    package struct Log: Sendable, Equatable {
        /// The minimum level of log messages.
        package var level = Logger.Level.info
        /// The format of a log line.
        package var format = LogFormat.json
    }

    /// The path of the data folder.
    package var data = ""
    /// The address of a PostgreSQL database that several servers share; nil means the SQLite database in the data
    /// folder.
    package var store: String?
    /// The settings of the PostgreSQL connections.
    package var postgres = Postgres()
    /// The source of the key-encryption key.
    package var kek = KeyEncryption()
    /// The listener for players.
    package var listen = ListenAddress("127.0.0.1:8080")!
    /// TLS for both listeners.
    package var tls = TLS()
    /// The settings for the certificate bundles in the store.
    package var certificates = Certificates()
    /// The listener for administration and metrics.
    package var admin = Admin()
    /// The authorization of license requests.
    package var authorization = Authorization()
    /// The proxies whose X-Forwarded-For header is trusted.
    package var proxies: [IPNetwork] = []
    /// The origins of web pages that may use the routes for players; nil means none.
    package var crossOrigin: CrossOrigin.Origins?
    /// Further headers that these pages may send.
    package var crossOriginHeaders: [String] = []
    /// True if the listener for players serves the playback page, `/player`. With `--dev` it always does.
    package var playerPage = false
    /// Settings that apply to all licenses.
    package var licenses = Licenses()
    /// Live channels whose key periods are created ahead of time.
    package var channels: [Channel] = []
    /// The limits on concurrency and on request rates.
    package var limits = Limits()
    /// The settings of the log.
    package var log = Log()
    /// True if the listener for administration serves `/metrics`.
    package var metrics = true
    /// The time for which `/readyz` returns 503 before the ports are closed.
    package var shutdownDelay = Seconds(rawValue: 0)
    /// The time that open requests have to finish after the ports are closed.
    package var shutdownGrace = Seconds(rawValue: 30)

    /// Creates a configuration with the defaults. The data folder is empty, which is not valid for a server.
    package init() {}
}
