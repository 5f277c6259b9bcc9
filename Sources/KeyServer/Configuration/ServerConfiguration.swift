public import KeyServerModule
public import Logging

/// How the server is set up: the values, without where they come from.
public struct ServerConfiguration: Sendable, Equatable {
    /// Where the key-encryption key is; the data folder's own file when nothing is given.
    public struct KeyEncryption: Sendable, Equatable {
        /// A file with 64 hexadecimal digits.
        public var file: String?
        /// The name of an environment variable with them.
        public var variable: String?
        /// A shell command that prints them, such as one that asks a key management service.
        public var command: String?

        /// Whether nothing says where it is.
        var isInDataFolder: Bool { file == nil && variable == nil && command == nil }
        /// Whether one thing says so.
        var hasOneSource: Bool { [file, variable, command].count { $0 != nil } == 1 }
    }

    /// How PostgreSQL is asked, when ``ServerConfiguration/store`` says that it is.
    public struct Postgres: Sendable, Equatable {
        /// A file with the password, mode 0600.
        public var passwordFile: String?
        /// The name of an environment variable with it.
        public var passwordVariable: String?
        /// How many connections one server process keeps.
        public var connections = 8
        /// For how long a request waits for the database.
        public var deadline = Seconds(rawValue: 5)
    }

    /// TLS for both listeners; off without files.
    public struct TLS: Sendable, Equatable {
        /// The certificate and what it was issued by, PEM.
        public var certificate: String?
        /// Its private key, PEM.
        public var key: String?
        /// How often the files are read again.
        public var reload = Seconds(rawValue: 60)
    }

    /// The certificate bundles of the store, which open SPCs.
    public struct Certificates: Sendable, Equatable {
        /// How often the store is asked for them.
        public var reload = Seconds(rawValue: 10)
    }

    /// The listener for administration and metrics.
    public struct Admin: Sendable, Equatable {
        /// Where; without it there is no such listener.
        public var listen: ListenAddress?
        /// Whether it may be reached from other machines.
        public var allowRemote = false
        /// A PEM file with those who issue encoders' certificates; without it no client is asked for one.
        public var clientCA: String?
    }

    /// Somebody whose tokens are taken.
    public struct TokenIssuer: Sendable, Equatable {
        /// A signature algorithm.
        public enum Algorithm: String, Sendable, CaseIterable {
            /// HMAC with SHA-256: whoever can check a token can make one.
            case hs256 = "HS256"
            /// ECDSA on P-256 with SHA-256.
            case es256 = "ES256"
            /// RSA with SHA-256.
            case rs256 = "RS256"
        }

        /// The `iss` claim.
        public var issuer = ""
        /// The `aud` claim. It must be given; nil is what a file without it has.
        public var audience: String?
        /// What is taken, and nothing else.
        public var algorithms: [Algorithm] = [.es256]
        /// A file or an `https` URL with the keys, a JWKS.
        public var jwks = ""
        /// How far the clocks may differ.
        public var clockSkew = Seconds(rawValue: 30)
        /// Whether a token's policy may be looser than the content's.
        public var mayLoosen = false
    }

    /// The operator's own service that is asked.
    public struct Webhook: Sendable, Equatable {
        /// Where; `https`, or `http` on a loopback address.
        public var url = ""
        /// A file with the secret that signs the questions.
        public var secretFile: String?
        /// How long it has for an answer.
        public var timeout = Seconds(rawValue: 2)
        /// How often it is asked again: 0 to 2.
        public var retries = 2
        /// Whether requests without a token are put to it as well.
        public var asksWithoutToken = false
        /// Whether a policy that it names may be looser than the content's.
        public var mayLoosen = false
    }

    /// Who may ask for licences: exactly one of the three.
    public struct Authorization: Sendable, Equatable {
        /// By tokens of these issuers.
        public var tokens: [TokenIssuer] = []
        /// By asking this service.
        public var webhook: Webhook?
        /// Everybody; something in front decides.
        public var none = false
    }

    /// Signed URLs of keys.
    public struct KeyURLs: Sendable, Equatable {
        /// A file with the secret that signs them; without it there are none.
        public var secretFile: String?
        /// How long one can be used.
        public var lifetime = Seconds(rawValue: 300)
    }

    /// A live channel whose key periods are made ahead of the time.
    public struct Channel: Sendable, Equatable {
        /// The title.
        public var title = ""
        /// The track.
        public var track = ""
        /// How long a period is.
        public var length = Seconds(rawValue: 600)
        /// How far ahead there are to be periods.
        public var ahead = Seconds(rawValue: 7_200)

        /// The plan; nil when it is none.
        public var plan: KeyPeriodPlan? {
            guard !title.isEmpty, !track.isEmpty else { return nil }
            return KeyPeriodPlan(
                title: title,
                track: track,
                length: Int64(length.rawValue),
                ahead: Int64(ahead.rawValue)
            )
        }
    }

    /// What holds for all licences.
    public struct Licences: Sendable, Equatable {
        /// The FPS protocol versions that are supported.
        public var protocolVersions: [UInt32] = [1]
        /// How old an SPC may be; a policy may say otherwise.
        public var maximumSPCAge = Seconds(rawValue: 6 * 3600)
        /// For how long the same request is a retry.
        public var retryGrace = Seconds(rawValue: 20)
        /// How long after a lease its slot is kept.
        public var leaseSkew = Seconds(rawValue: 30)
        /// How long a preloaded key keeps a slot.
        public var reservation = Seconds(rawValue: 120)
        /// How long what a device reports against itself binds it.
        public var reportBinding = Seconds(rawValue: 24 * 3600)
        /// Whether every CKC is opened again before it leaves.
        public var checkBeforeIssuing = false
        /// The clients without FairPlay that may get raw keys, where a policy allows it too.
        public var otherClients: Set<OtherClientKind> = []
        /// Signed URLs of keys.
        public var keyURLs = KeyURLs()
    }

    /// Whether several RSA operations are done at once, by crypto_mb.
    public enum MultiBuffer: Sendable, Equatable {
        /// Where it is installed and runs on this processor.
        case auto
        /// Never; nothing is loaded.
        case off
        /// By this library; without it the server does not start.
        case library(String)
    }

    /// How much at once and how often.
    public struct Limits: Sendable, Equatable {
        /// Threads for RSA; 0: one for each core.
        public var threads = 0
        /// Requests that may wait for each of them.
        public var queue = 64
        /// Whether several RSA operations are done at once.
        public var multiBuffer = MultiBuffer.auto
        /// Licences in one request.
        public var batch = 32
        /// Open connections of a listener.
        public var connections = 900
        /// Open connections of one address on a listener; 0: no limit.
        public var connectionsPerAddress = 200
        /// How often an account and an address may ask.
        public var rates = RateLimits()
    }

    /// The log.
    public struct Log: Sendable, Equatable {
        /// The least that is logged.
        public var level = Logger.Level.info
        /// What a line looks like.
        public var format = LogFormat.json
    }

    /// The data folder.
    public var data = ""
    /// The address of a PostgreSQL database that several servers share; nil: the SQLite database in the data folder.
    public var store: String?
    /// How PostgreSQL is asked.
    public var postgres = Postgres()
    /// Where the key-encryption key is.
    public var kek = KeyEncryption()
    /// The listener for players.
    public var listen = ListenAddress("127.0.0.1:8080")!
    /// TLS for both listeners.
    public var tls = TLS()
    /// The certificate bundles of the store.
    public var certificates = Certificates()
    /// The listener for administration and metrics.
    public var admin = Admin()
    /// Who may ask for licences.
    public var authorization = Authorization()
    /// Whose word on a client's address is taken.
    public var proxies: [IPNetwork] = []
    /// Web pages that may use the routes for players; nil: none.
    public var crossOrigin: CrossOrigin.Origins?
    /// Whether the listener for players has the page that plays, `/player`. With `--dev` it has, whatever this says.
    public var playerPage = false
    /// What holds for all licences.
    public var licences = Licences()
    /// Live channels whose key periods are made ahead of the time.
    public var channels: [Channel] = []
    /// How much at once and how often.
    public var limits = Limits()
    /// The log.
    public var log = Log()
    /// Whether the listener for administration has `/metrics`.
    public var metrics = true
    /// How long `/readyz` says no before the ports are closed.
    public var shutdownDelay = Seconds(rawValue: 0)
    /// How long what is under way may take once they are.
    public var shutdownGrace = Seconds(rawValue: 30)

    /// The defaults. The data folder is empty, which no server can do with.
    public init() {}
}
