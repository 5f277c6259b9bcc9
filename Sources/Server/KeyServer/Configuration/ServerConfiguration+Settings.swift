import KeyServerModule

extension ServerConfiguration {
    /// Reads every setting, in the order of the example and of the documentation.
    mutating func read(_ reader: inout SettingReader) {
        var data: String?
        reader.read(path: &data, "data", example: "/var/lib/keyway", "The data folder; created if it does not exist.")
        self.data = data ?? ""
        reader.read(
            &store,
            "store",
            example: "postgres://keyway@db.example.com/keyway",
            "The address of a PostgreSQL database that several servers share, instead of SQLite in the data folder."
        )
        reader.section("postgres") { postgres.read(&$0) }
        reader.section("kek") { kek.read(&$0) }
        reader.read(&listen, "listen", "The address of the listener for players.")
        reader.section("tls") { tls.read(&$0) }
        reader.section("certificates") { section in
            section.read(
                &certificates.reload,
                "reload",
                "The interval at which the server checks the store for changed certificate bundles."
            )
            section.read(
                list: &certificates.pluginsInProcess,
                "pluginsInProcess",
                example: ["app"],
                "The bundles whose DASk plug-ins run in the server's process; others run in a process of their own."
            )
            section.read(
                &certificates.pluginDeadline,
                "pluginDeadline",
                "The maximum time of a call of a plug-in; after that, its process is ended and restarted."
            )
            section.read(
                &certificates.pluginMemory,
                "pluginMemory",
                in: 32...65_536,
                "The bound of the memory of a plug-in's process, in MiB; a process that exceeds it is replaced."
            )
        }
        reader.section("admin") { admin.read(&$0) }
        reader.section("authorization") { authorization.read(&$0) }
        reader.read(
            list: &proxies,
            "proxies",
            example: ["10.0.0.0/8"],
            "The addresses of your reverse proxies. X-Forwarded-For is accepted only from them and ignored otherwise."
        )
        reader.section("cors") { section in
            var origins: [PageOrigin] = []
            section.read(
                list: &origins,
                "origins",
                example: ["https://www.example.com"],
                "Origins of web pages whose scripts may call the routes for players; none by default."
            )
            let names = Set(origins.map(\.setting))
            crossOrigin = names.isEmpty ? nil : names.contains("*") ? .all : .listed(names)
            var headers: [HeaderName] = []
            section.read(
                list: &headers,
                "headers",
                example: ["X-Session"],
                "Further headers that these scripts may send; those of licenses.requests are allowed anyway."
            )
            crossOriginHeaders = headers.map(\.setting)
        }
        reader.read(
            &playerPage,
            "playerPage",
            "Whether the listener for players serves GET /player, a test page for playback; always served with --dev."
        )
        reader.read(
            path: &playerLibrary,
            "playerLibrary",
            example: "/usr/share/keyway/hls.mjs",
            "An ES module that defines globalThis.Hls, the class of hls.js, for this page; by default its own code plays."
        )
        reader.section("licenses") { licenses.read(&$0) }
        reader.sections(&channels, "channels", .init()) { $0.read(&$1) }
        reader.section("limits") { limits.read(&$0) }
        reader.section("log") { section in
            section.read(&log.level, "level", "The minimum level of log messages.")
            section.read(&log.format, "format", "The format of log lines: json for machines, text for people.")
        }
        reader.read(&metrics, "metrics", "Whether the listener for administration serves GET /metrics.")
        reader.read(&shutdownDelay, "shutdownDelay", "How long /readyz returns 503 before the ports are closed.")
        reader.read(&shutdownGrace, "shutdownGrace", "The time that open requests have to finish after that.")
    }
}

extension ServerConfiguration.KeyEncryption {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        reader.read(
            path: &file,
            "file",
            example: "/etc/keyway/kek",
            "A file with the key-encryption key, 64 hexadecimal digits, mode 0600. By default it is in the data folder."
        )
        reader.read(
            &variable,
            "variable",
            example: "KEK",
            "The name of an environment variable with the key-encryption key, instead of a file."
        )
        reader.read(
            &command,
            "command",
            example: "/usr/local/bin/unwrap-kek",
            "A command, run by /bin/sh, that prints the key-encryption key, for example from a key management service."
        )
    }
}

extension ServerConfiguration.Postgres {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        reader.read(
            path: &passwordFile,
            "passwordFile",
            example: "/etc/keyway/postgres.password",
            "A file with the PostgreSQL password, mode 0600."
        )
        reader.read(
            &passwordVariable,
            "passwordVariable",
            example: "POSTGRES_PASSWORD",
            "The name of an environment variable with the PostgreSQL password, instead of a file."
        )
        reader.read(&connections, "connections", in: 3...100, "The size of this server's PostgreSQL connection pool.")
        reader.read(&deadline, "deadline", "The time limit for a database request, including reconnecting.")
    }
}

extension ServerConfiguration.TLS {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        reader.read(
            path: &certificate,
            "certificate",
            example: "/etc/keyway/tls.pem",
            "The certificate chain for both listeners, PEM: the server's certificate, then its issuers."
        )
        reader.read(path: &key, "key", example: "/etc/keyway/tls.key", "The certificate's private key, PEM.")
        reader.read(&reload, "reload", "The interval at which both files are read again.")
    }
}

extension ServerConfiguration.Admin {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        reader.read(
            &listen,
            "listen",
            example: "127.0.0.1:8081",
            "The address of the listener for administration, the dashboard and metrics; off by default."
        )
        reader.read(&allowRemote, "allowRemote", "Whether other machines may reach that address; requires tls.")
        reader.read(
            path: &clientCA,
            "clientCA",
            example: "/etc/keyway/encoders.pem",
            "The CA of encoders' client certificates, PEM: an encoder with one gets keys without a token. Requires tls."
        )
    }
}

extension ServerConfiguration.Authorization {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        reader.read(
            &none,
            "none",
            "true: a service in front of this server authorizes requests; all requests that reach this server are allowed."
        )
        reader.sections(&tokens, "tokens", .init()) { $0.read(&$1) }
        var webhook = ServerConfiguration.Webhook()
        let hasWebhook = reader.has("webhook")
        reader.section("webhook") { webhook.read(&$0) }
        self.webhook = hasWebhook && !webhook.url.isEmpty ? webhook : nil
    }
}

extension ServerConfiguration.TokenIssuer {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        var (issuer, jwks): (String?, String?)
        reader.read(
            &issuer,
            "issuer",
            example: "https://login.example.com",
            "The issuer of playback tokens: the value of their iss claim."
        )
        reader.read(
            &audience,
            "audience",
            example: "keyway",
            "The audience of the tokens: the value of their aud claim. Other tokens are refused."
        )
        reader.read(list: &algorithms, "algorithms", example: ["ES256"], "The accepted signature algorithms.")
        reader.read(
            path: &jwks,
            "jwks",
            example: "https://login.example.com/jwks.json",
            orURL: true,
            "The JWKS with the keys that verify the signatures: an https URL or a file."
        )
        reader.read(&clockSkew, "clockSkew", "The allowed difference between the issuer's clock and this server's.")
        reader.read(
            &allowPolicyOverride,
            "allowPolicyOverride",
            "Whether a policy in a token replaces the content's; a deny of otherClients always stays."
        )
        self.issuer = issuer ?? ""
        self.jwks = jwks ?? ""
    }
}

extension ServerConfiguration.Channel {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        var (title, track): (String?, String?)
        reader.read(
            &title,
            "title",
            example: "news",
            "The title of a live channel; its key periods are created in advance."
        )
        reader.read(&track, "track", example: "hd", "The track of the title; it must already exist.")
        reader.read(&length, "length", "The duration of a key period.")
        reader.read(&ahead, "ahead", "How far in advance key periods are created.")
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
            "The URL of your service that authorizes each request; https, or http on a loopback address."
        )
        self.url = url ?? ""
        reader.read(
            path: &secretFile,
            "secretFile",
            example: "/etc/keyway/webhook.secret",
            "A file with the secret that signs the webhook's requests, at least 32 bytes."
        )
        reader.read(&timeout, "timeout", "The time limit for the webhook's response.")
        reader.read(&retries, "retries", in: 0...2, "The number of retries if the webhook fails.")
        reader.read(
            &allowMissingToken,
            "allowMissingToken",
            "Whether requests without a token are sent to the webhook too; otherwise they are refused immediately."
        )
        reader.read(
            &allowPolicyOverride,
            "allowPolicyOverride",
            "Whether a policy in the webhook's response replaces the content's; a deny of otherClients always stays."
        )
    }
}

extension ServerConfiguration.Licenses {
    fileprivate mutating func read(_ reader: inout SettingReader) {
        reader.read(
            list: &protocolVersions,
            "protocolVersions",
            example: ["1"],
            "The supported FPS protocol versions."
        )
        reader.read(&maximumSPCAge, "maximumSPCAge", "The maximum age of an SPC; a policy may override it.")
        reader.read(&retryGrace, "retryGrace", "The time in which a repeated request is a retry; later it is a replay.")
        reader.read(&leaseSkew, "leaseSkew", "The time for which a stream slot stays occupied after its lease expires.")
        reader.read(&reservation, "reservation", "The time for which a preloaded key occupies a slot before playback.")
        reader.read(
            &reportBinding,
            "reportBinding",
            "How long a risk that a device reported (virtual machine, old Kext Deny List) applies to it; PT0S means never."
        )
        reader.read(
            &checkBeforeIssuing,
            "checkBeforeIssuing",
            "Whether each CKC is decrypted and checked before it is sent."
        )
        reader.read(
            &deviceHeaders,
            "deviceHeaders",
            "Whether responses with a license have headers with the class, OS version, security level and HDCP capability "
                + "of the device."
        )
        reader.section("requests") { requests.read(&$0) }
        var clients: [OtherClientKind] = []
        reader.read(
            list: &clients,
            "otherClients",
            example: ["clearKey", "aes128"],
            "Clients without FairPlay that get raw keys, which they can copy: clearKey by POST /clearkey, aes128 by "
                + "GET /keys/{kid}. Each key's policy must allow it too. None by default; both with --dev."
        )
        otherClients = Set(clients)
        reader.section("keyURLs") { section in
            section.read(
                path: &keyURLs.secretFile,
                "secretFile",
                example: "/etc/keyway/urls.secret",
                "A file with the secret that signs URLs of AES-128 keys; without it no URLs are issued."
            )
            section.read(
                &keyURLs.lifetime,
                "lifetime",
                "The lifetime of a URL that `keyway-server keys url` signs."
            )
        }
    }
}

extension ServerConfiguration.Limits {
    private static let segments = "licenses for AirPlay and the AV adapter"

    fileprivate mutating func read(_ reader: inout SettingReader) {
        reader.read(&threads, "threads", in: 0...1_024, "The number of threads for RSA; 0 means one for each core.")
        reader.read(&queue, "queue", in: 0...100_000, "The queue length per thread; requests beyond it are refused.")
        reader.read(
            &multiBuffer,
            "multiBuffer",
            "Intel's crypto_mb, which batches RSA operations of several licenses; auto uses it if it is installed and works."
        )
        reader.read(&batch, "batch", in: 1...256, "The maximum number of licenses in one request.")
        reader.read(
            &connections,
            "connections",
            in: 1...1_000_000,
            "The maximum number of connections of a listener; beyond it only /healthz and /readyz are answered."
        )
        reader.read(
            &connectionsPerAddress,
            "connectionsPerAddress",
            in: 0...1_000_000,
            "The maximum per address (IPv6: /64), except for `proxies` and loopback addresses; 0 means unlimited."
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
        reader.section("address") { address.read(&$0, whatElse, "an address (IPv6: /64)") }
    }
}

extension RateLimit {
    fileprivate mutating func read(_ reader: inout SettingReader, _ what: String, _ whose: String) {
        reader.read(
            &perMinute,
            "perMinute",
            in: 0...10_000_000,
            "The number of \(what) that \(whose) gets per minute; 0 means unlimited."
        )
        reader.read(&burst, "burst", in: 1...10_000_000, "The number of these that may arrive at once.")
    }
}
