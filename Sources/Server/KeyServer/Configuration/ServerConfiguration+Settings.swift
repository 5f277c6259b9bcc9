import KeyServerModule

extension ServerConfiguration {
    /// Every setting, in the order of the example and of the documentation.
    mutating func read(_ reader: inout SettingReader) {
        var data: String?
        reader.read(path: &data, "data", example: "/var/lib/keyway", "The data folder; created where there is none.")
        self.data = data ?? ""
        reader.read(
            &store,
            "store",
            example: "postgres://keyway@db.example.com/keyway",
            "A PostgreSQL database that several servers share, instead of the SQLite database in the data folder."
        )
        reader.section("postgres") { postgres.read(&$0) }
        reader.section("kek") { kek.read(&$0) }
        reader.read(&listen, "listen", "Where to listen for players.")
        reader.section("tls") { tls.read(&$0) }
        reader.section("certificates") { section in
            section.read(
                &certificates.reload,
                "reload",
                "How often the store is asked whether it has other certificate bundles."
            )
        }
        reader.section("admin") { admin.read(&$0) }
        reader.section("authorization") { authorization.read(&$0) }
        reader.read(
            list: &proxies,
            "proxies",
            example: ["10.0.0.0/8"],
            "Your reverse proxies. X-Forwarded-For is believed from them alone; without them it is ignored."
        )
        reader.section("cors") { section in
            var origins: [PageOrigin] = []
            section.read(
                list: &origins,
                "origins",
                example: ["https://www.example.com"],
                "Web pages that may call the routes for players from a browser; none without it."
            )
            let names = Set(origins.map(\.setting))
            crossOrigin = names.isEmpty ? nil : names.contains("*") ? .all : .listed(names)
        }
        reader.read(
            &playerPage,
            "playerPage",
            "Whether the listener for players has GET /player, a page that plays and shows how; with --dev it has."
        )
        reader.section("licenses") { licenses.read(&$0) }
        reader.sections(&channels, "channels", .init()) { $0.read(&$1) }
        reader.section("limits") { limits.read(&$0) }
        reader.section("log") { section in
            section.read(&log.level, "level", "The least that is logged.")
            section.read(&log.format, "format", "JSON for machines, text for people.")
        }
        reader.read(&metrics, "metrics", "Whether the listener for administration has GET /metrics.")
        reader.read(&shutdownDelay, "shutdownDelay", "How long /readyz says 503 before the ports are closed.")
        reader.read(&shutdownGrace, "shutdownGrace", "How long what is under way may then take.")
    }
}

extension ServerConfiguration.KeyEncryption {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        reader.read(
            path: &file,
            "file",
            example: "/etc/keyway/kek",
            "A file with the key-encryption key, 64 hexadecimal digits, mode 0600. Without it the key is in the data folder."
        )
        reader.read(
            &variable,
            "variable",
            example: "KEK",
            "The name of an environment variable with the key-encryption key instead."
        )
        reader.read(
            &command,
            "command",
            example: "/usr/local/bin/unwrap-kek",
            "A command for /bin/sh that prints the key-encryption key instead: of a key management service, say."
        )
    }
}

extension ServerConfiguration.Postgres {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        reader.read(
            path: &passwordFile,
            "passwordFile",
            example: "/etc/keyway/postgres.password",
            "A file with the password that PostgreSQL wants, mode 0600."
        )
        reader.read(
            &passwordVariable,
            "passwordVariable",
            example: "POSTGRES_PASSWORD",
            "The name of an environment variable with the password instead."
        )
        reader.read(&connections, "connections", in: 3...100, "Connections that this server keeps to it.")
        reader.read(&deadline, "deadline", "How long a request waits for it, a lost connection included.")
    }
}

extension ServerConfiguration.TLS {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        reader.read(
            path: &certificate,
            "certificate",
            example: "/etc/keyway/tls.pem",
            "The certificate and its issuers, PEM; for both listeners."
        )
        reader.read(path: &key, "key", example: "/etc/keyway/tls.key", "The certificate's private key, PEM.")
        reader.read(&reload, "reload", "How often both files are read again.")
    }
}

extension ServerConfiguration.Admin {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        reader.read(
            &listen,
            "listen",
            example: "127.0.0.1:8081",
            "Where to listen for administration, the dashboard and metrics. Without it there is no such listener."
        )
        reader.read(&allowRemote, "allowRemote", "Whether that may be an address that other machines reach; needs tls.")
        reader.read(
            path: &clientCA,
            "clientCA",
            example: "/etc/keyway/encoders.pem",
            "Who issues encoders' certificates, PEM: with one, an encoder gets keys without a token. Needs tls."
        )
    }
}

extension ServerConfiguration.Authorization {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        reader.read(
            &none,
            "none",
            "true: a service in front of this server decides, and all requests that reach this server get licenses."
        )
        reader.sections(&tokens, "tokens", .init()) { $0.read(&$1) }
        var webhook = ServerConfiguration.Webhook()
        let isAsked = reader.has("webhook")
        reader.section("webhook") { webhook.read(&$0) }
        self.webhook = isAsked && !webhook.url.isEmpty ? webhook : nil
    }
}

extension ServerConfiguration.TokenIssuer {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        var (issuer, jwks): (String?, String?)
        reader.read(
            &issuer,
            "issuer",
            example: "https://login.example.com",
            "Who issues playback tokens: the value of their iss claim."
        )
        reader.read(
            &audience,
            "audience",
            example: "keyway",
            "Who the tokens are for: the value of their aud claim. Others are refused."
        )
        reader.read(list: &algorithms, "algorithms", example: ["ES256"], "The signature algorithms that are accepted.")
        reader.read(
            path: &jwks,
            "jwks",
            example: "https://login.example.com/jwks.json",
            orURL: true,
            "The keys that verify the signatures: a JWKS at an https URL, or in a file."
        )
        reader.read(&clockSkew, "clockSkew", "How far its clock and this one may differ.")
        reader.read(
            &mayLoosen,
            "mayLoosen",
            "Whether the policy that a token names replaces what the content's policies say; a deny of otherClients stays."
        )
        self.issuer = issuer ?? ""
        self.jwks = jwks ?? ""
    }
}

extension ServerConfiguration.Channel {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        var (title, track): (String?, String?)
        reader.read(&title, "title", example: "news", "A live channel's title; its key periods are made ahead.")
        reader.read(&track, "track", example: "hd", "The track of the title, which is there.")
        reader.read(&length, "length", "How long a key period is.")
        reader.read(&ahead, "ahead", "How far ahead there are key periods.")
        self.title = title ?? ""
        self.track = track ?? ""
    }
}

extension ServerConfiguration.Webhook {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        var url: String?
        reader.read(
            &url,
            "url",
            example: "https://api.example.com/keyway",
            "Your service that decides about each request; https, or http on a loopback address."
        )
        self.url = url ?? ""
        reader.read(
            path: &secretFile,
            "secretFile",
            example: "/etc/keyway/webhook.secret",
            "A file with the secret that signs these requests, 32 bytes or more."
        )
        reader.read(&timeout, "timeout", "How long it has for an answer.")
        reader.read(&retries, "retries", in: 0...2, "How often it is asked again.")
        reader.read(
            &asksWithoutToken,
            "asksWithoutToken",
            "Whether requests without a token are put to it too; without this they are refused unasked."
        )
        reader.read(
            &mayLoosen,
            "mayLoosen",
            "Whether the policy that it names replaces what the content's policies say; a deny of otherClients stays."
        )
    }
}

extension ServerConfiguration.Licenses {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        reader.read(
            list: &protocolVersions,
            "protocolVersions",
            example: ["1"],
            "The FPS protocol versions that are supported."
        )
        reader.read(&maximumSPCAge, "maximumSPCAge", "How old an SPC may be; a policy may say otherwise.")
        reader.read(&retryGrace, "retryGrace", "For how long the same request is a retry, and later a replay.")
        reader.read(&leaseSkew, "leaseSkew", "How long a slot is kept after its lease.")
        reader.read(&reservation, "reservation", "How long a preloaded key keeps a slot before it is played.")
        reader.read(
            &reportBinding,
            "reportBinding",
            "How long a virtual machine, an old Kext Deny List and the like bind the device that reported them; PT0S: not."
        )
        reader.read(
            &checkBeforeIssuing,
            "checkBeforeIssuing",
            "Whether every CKC is opened and checked before it leaves."
        )
        var clients: [OtherClientKind] = []
        reader.read(
            list: &clients,
            "otherClients",
            example: ["clearKey", "aes128"],
            "Which clients without FairPlay get raw keys, which they can copy: clearKey by POST /clearkey, aes128 by "
                + "GET /keys/{kid}. Each key's policy has to allow it too. None without it; with --dev both."
        )
        otherClients = Set(clients)
        reader.section("keyURLs") { section in
            section.read(
                path: &keyURLs.secretFile,
                "secretFile",
                example: "/etc/keyway/urls.secret",
                "A file with the secret that signs URLs of AES-128 keys; none are given out without it."
            )
            section.read(
                &keyURLs.lifetime,
                "lifetime",
                "How long a URL that `keyway-server keys url` signs can be used."
            )
        }
    }
}

extension ServerConfiguration.Limits {
    private static let segments = "licenses for AirPlay and the AV adapter"

    fileprivate mutating func read(_ reader: inout SettingReader) {
        reader.read(&threads, "threads", in: 0...1_024, "Threads for RSA; 0 means one for each core.")
        reader.read(&queue, "queue", in: 0...100_000, "Requests that may wait for each of them; the next is refused.")
        reader.read(
            &multiBuffer,
            "multiBuffer",
            "Whether RSA of several licenses is done at once, by Intel's crypto_mb; `auto`: where it is installed and runs."
        )
        reader.read(&batch, "batch", in: 1...256, "Licenses in one request.")
        reader.read(
            &connections,
            "connections",
            in: 1...1_000_000,
            "Open connections of a listener; beyond them only /healthz and /readyz are answered."
        )
        reader.read(
            &connectionsPerAddress,
            "connectionsPerAddress",
            in: 0...1_000_000,
            "How many of them an address (IPv6: 64 bits of it) may have, unless it is in `proxies` or loopback; 0: no limit."
        )
        reader.section("rates") { section in
            section.section("license") { rates.license.read(&$0, account: "licenses", address: "licenses") }
            section.section("segment") { rates.segment.read(&$0, account: Self.segments, address: Self.segments) }
            section.section("other") {
                rates.other.read(&$0, account: "other requests", address: "requests of all kinds")
            }
        }
    }
}

extension RateLimits.Pair {
    fileprivate mutating func read(_ reader: inout SettingReader, account what: String, address whatElse: String) {
        reader.section("account") { account.read(&$0, what, "an account") }
        reader.section("address") { address.read(&$0, whatElse, "an address (IPv6: 64 bits of it)") }
    }
}

extension RateLimit {
    fileprivate mutating func read(_ reader: inout SettingReader, _ what: String, _ whose: String) {
        reader.read(
            &perMinute,
            "perMinute",
            in: 0...10_000_000,
            "How many \(what) \(whose) gets in a minute; 0: no limit."
        )
        reader.read(&burst, "burst", in: 1...10_000_000, "How many of them at once.")
    }
}
