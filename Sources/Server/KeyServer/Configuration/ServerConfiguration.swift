package import KeyServerModule
package import Logging

/// How the server is set up: the values, without where they come from.
package struct ServerConfiguration: Sendable, Equatable {
    /// Where the key-encryption key is; the data folder's own file when nothing is given.
    package struct KeyEncryption: Sendable, Equatable {
        /// A file with 64 hexadecimal digits.
        package var file: String?
        /// The name of an environment variable with them.
        package var variable: String?
        /// A shell command that prints them, such as one that asks a key management service.
        package var command: String?

        /// Whether nothing says where it is.
        var isInDataFolder: Bool { file == nil && variable == nil && command == nil }
        /// Whether one thing says so.
        var hasOneSource: Bool { [file, variable, command].count { $0 != nil } == 1 }
    }

    /// How PostgreSQL is asked, when ``ServerConfiguration/store`` says that it is.
    package struct Postgres: Sendable, Equatable {
        /// A file with the password, mode 0600.
        package var passwordFile: String?
        /// The name of an environment variable with it.
        package var passwordVariable: String?
        /// How many connections one server process keeps.
        package var connections = 8
        /// For how long a request waits for the database.
        package var deadline = Seconds(rawValue: 5)
    }

    /// TLS for both listeners; off without files.
    package struct TLS: Sendable, Equatable {
        /// The certificate and what it was issued by, PEM.
        package var certificate: String?
        /// Its private key, PEM.
        package var key: String?
        /// How often the files are read again.
        package var reload = Seconds(rawValue: 60)
    }

    /// The certificate bundles of the store, which open SPCs.
    package struct Certificates: Sendable, Equatable {
        /// How often the store is asked for them.
        package var reload = Seconds(rawValue: 10)
    }

    /// The listener for administration and metrics.
    package struct Admin: Sendable, Equatable {
        /// Where; without it there is no such listener.
        package var listen: ListenAddress?
        /// Whether it may be reached from other machines.
        package var allowRemote = false
        /// A PEM file with those who issue encoders' certificates; without it no client is asked for one.
        package var clientCA: String?
    }

    /// Somebody whose tokens are taken.
    package struct TokenIssuer: Sendable, Equatable {
        /// A signature algorithm.
        package enum Algorithm: String, Sendable, CaseIterable {
            /// HMAC with SHA-256: whoever can check a token can make one.
            case hs256 = "HS256"
            /// ECDSA on P-256 with SHA-256.
            case es256 = "ES256"
            /// RSA with SHA-256.
            case rs256 = "RS256"
        }

        /// The `iss` claim.
        package var issuer = ""
        /// The `aud` claim. It must be given; nil is what a file without it has.
        package var audience: String?
        /// What is taken, and nothing else.
        package var algorithms: [Algorithm] = [.es256]
        /// A file or an `https` URL with the keys, a JWKS.
        package var jwks = ""
        /// How far the clocks may differ.
        package var clockSkew = Seconds(rawValue: 30)
        /// Whether a token's policy may be looser than the content's.
        package var mayLoosen = false
    }

    /// The operator's own service that is asked.
    package struct Webhook: Sendable, Equatable {
        /// Where; `https`, or `http` on a loopback address.
        package var url = ""
        /// A file with the secret that signs the questions.
        package var secretFile: String?
        /// How long it has for an answer.
        package var timeout = Seconds(rawValue: 2)
        /// How often it is asked again: 0 to 2.
        package var retries = 2
        /// Whether requests without a token are put to it as well.
        package var asksWithoutToken = false
        /// Whether a policy that it names may be looser than the content's.
        package var mayLoosen = false
    }

    /// Who may ask for licenses: exactly one of the three.
    package struct Authorization: Sendable, Equatable {
        /// By tokens of these issuers.
        package var tokens: [TokenIssuer] = []
        /// By asking this service.
        package var webhook: Webhook?
        /// Everybody; something in front decides.
        package var none = false
    }

    /// Signed URLs of keys.
    package struct KeyURLs: Sendable, Equatable {
        /// A file with the secret that signs them; without it there are none.
        package var secretFile: String?
        /// How long one can be used.
        package var lifetime = Seconds(rawValue: 300)
    }

    /// A live channel whose key periods are made ahead of the time.
    package struct Channel: Sendable, Equatable {
        /// The title.
        package var title = ""
        /// The track.
        package var track = ""
        /// How long a period is.
        package var length = Seconds(rawValue: 600)
        /// How far ahead there are to be periods.
        package var ahead = Seconds(rawValue: 7_200)

        /// The plan; nil when it is none.
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

    /// What holds for all licenses.
    package struct Licenses: Sendable, Equatable {
        /// The FPS protocol versions that are supported.
        package var protocolVersions: [UInt32] = [1]
        /// How old an SPC may be; a policy may say otherwise.
        package var maximumSPCAge = Seconds(rawValue: 6 * 3600)
        /// For how long the same request is a retry.
        package var retryGrace = Seconds(rawValue: 20)
        /// How long after a lease its slot is kept.
        package var leaseSkew = Seconds(rawValue: 30)
        /// How long a preloaded key keeps a slot.
        package var reservation = Seconds(rawValue: 120)
        /// How long what a device reports against itself binds it.
        package var reportBinding = Seconds(rawValue: 24 * 3600)
        /// Whether every CKC is opened again before it leaves.
        package var checkBeforeIssuing = false
        /// The clients without FairPlay that may get raw keys, where a policy allows it too.
        package var otherClients: Set<OtherClientKind> = []
        /// Signed URLs of keys.
        package var keyURLs = KeyURLs()
    }

    /// Whether several RSA operations are done at once, by crypto_mb.
    package enum MultiBuffer: Sendable, Equatable {
        /// Where it is installed and runs on this processor.
        case auto
        /// Never; nothing is loaded.
        case off
        /// By this library; without it the server does not start.
        case library(String)
    }

    /// How much at once and how often.
    package struct Limits: Sendable, Equatable {
        /// Threads for RSA; 0: one for each core.
        package var threads = 0
        /// Requests that may wait for each of them.
        package var queue = 64
        /// Whether several RSA operations are done at once.
        package var multiBuffer = MultiBuffer.auto
        /// Licenses in one request.
        package var batch = 32
        /// Open connections of a listener.
        package var connections = 900
        /// Open connections of one address on a listener; 0: no limit.
        package var connectionsPerAddress = 200
        /// How often an account and an address may ask.
        package var rates = RateLimits()
    }

    /// The log.
    package struct Log: Sendable, Equatable {
        /// The least that is logged.
        package var level = Logger.Level.info
        /// What a line looks like.
        package var format = LogFormat.json
    }

    /// The data folder.
    package var data = ""
    /// The address of a PostgreSQL database that several servers share; nil: the SQLite database in the data folder.
    package var store: String?
    /// How PostgreSQL is asked.
    package var postgres = Postgres()
    /// Where the key-encryption key is.
    package var kek = KeyEncryption()
    /// The listener for players.
    package var listen = ListenAddress("127.0.0.1:8080")!
    /// TLS for both listeners.
    package var tls = TLS()
    /// The certificate bundles of the store.
    package var certificates = Certificates()
    /// The listener for administration and metrics.
    package var admin = Admin()
    /// Who may ask for licenses.
    package var authorization = Authorization()
    /// Whose word on a client's address is taken.
    package var proxies: [IPNetwork] = []
    /// Web pages that may use the routes for players; nil: none.
    package var crossOrigin: CrossOrigin.Origins?
    /// Whether the listener for players has the page that plays, `/player`. With `--dev` it has, whatever this says.
    package var playerPage = false
    /// What holds for all licenses.
    package var licenses = Licenses()
    /// Live channels whose key periods are made ahead of the time.
    package var channels: [Channel] = []
    /// How much at once and how often.
    package var limits = Limits()
    /// The log.
    package var log = Log()
    /// Whether the listener for administration has `/metrics`.
    package var metrics = true
    /// How long `/readyz` says no before the ports are closed.
    package var shutdownDelay = Seconds(rawValue: 0)
    /// How long what is under way may take once they are.
    package var shutdownGrace = Seconds(rawValue: 30)

    /// The defaults. The data folder is empty, which no server can do with.
    package init() {}
}
