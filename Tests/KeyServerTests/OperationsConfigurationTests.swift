import Foundation
import KeyServerModule
import Logging
import Testing

@testable import KeyServer

@Suite("Configuration")
struct OperationsConfigurationTests {
    private static let least = "data: /d\nauthorization: {none: true}\n"

    private func load(
        _ text: String?,
        environment: [String: String] = [:],
        options: [(path: String, value: String, option: String)] = [],
        isDevelopment: Bool = false
    ) throws(ConfigurationErrors) -> LoadedConfiguration {
        try LoadedConfiguration.load(
            text: text,
            name: "/etc/k/c.yaml",
            environment: environment,
            options: options,
            isDevelopment: isDevelopment
        )
    }

    private func problems(_ text: String?, environment: [String: String] = [:], isDevelopment: Bool = false) -> [String]
    {
        do {
            _ = try load(text, environment: environment, isDevelopment: isDevelopment)
            return []
        } catch { return error.problems.map(\.description) }
    }

    @Test("The example is refused until authorization is set, and has no other errors")
    func exampleFailsClosed() throws {
        let example = ServerConfiguration.example
        let errors = problems(example)
        #expect(
            errors.count == 1 && errors[0].contains("authorization: is missing; set authorization.tokens"),
            "\(errors)"
        )
        #expect(errors[0].contains("set authorization.tokens or authorization.webhook"))
        let decided = try load(example.replacing("#none: false", with: "none: true"))
        #expect(decided.configuration.authorization.none)
        #expect(decided.configuration.licenses.otherClients == [])
    }

    @Test("For a command on the store, only the settings that locate it must be consistent")
    func location() throws {
        func load(_ text: String) throws(ConfigurationErrors) -> ServerConfiguration {
            try LoadedConfiguration.load(text: text, isForServing: false).configuration
        }
        let loaded = try load("data: /d\nlisten: 0.0.0.0:80\nkek: {file: /k}\n")
        #expect(loaded.data == "/d" && loaded.kek.file == "/k")
        for text in [
            "listen: 127.0.0.1:80\n", "data: /d\nkek: {file: /k, variable: V}\n", "data: /d\nstore: mysql://a\n",
        ] {
            #expect(throws: ConfigurationErrors.self) { try load(text) }
        }
    }

    @Test("The example is accepted with every setting uncommented")
    func example() throws {
        let example = ServerConfiguration.example
        let plain = try load(example, options: [("authorization.none", "true", "--no-authorization")])
        #expect(plain.configuration.data == "/var/lib/keyway")
        #expect(plain.configuration.admin.listen == ListenAddress("127.0.0.1:8081"))
        // Remove settings that conflict with each other by design.
        let without = [
            "#none: false", "#variable: KEK", "#command: /usr/local/bin/unwrap-kek",
            "#passwordVariable: POSTGRES_PASSWORD",
        ]
        let lines = example.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            !without.contains { line.hasSuffix($0) }
        }
        let open = lines.map { line -> String in
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("#"), !text.hasPrefix("# ") || text.hasPrefix("#  ") else { return String(line) }
            return String(line.prefix(line.count - text.count)) + text.dropFirst()
        }
        var text = open.joined(separator: "\n")
        let errors = problems(text)
        #expect(errors.count == 1 && errors[0].contains("more than one of tokens, webhook and none"), "\(errors)")
        text = text.replacing(/(?s)  webhook:.*?\n\n/, with: "")
        let full = try load(text).configuration
        #expect(full.authorization.tokens.first?.issuer == "https://login.example.com")
        #expect(full.authorization.tokens.first?.algorithms == [.es256])
        #expect(full.channels.map(\.title) == ["news"] && full.channels.map(\.plan?.length) == [600])
        #expect(full.admin.clientCA == "/etc/keyway/encoders.pem")
        #expect(full.crossOrigin == .listed(["https://www.example.com"]))
        let licenses = plain.configuration.licenses.with {
            $0.keyURLs.secretFile = "/etc/keyway/urls.secret"
            $0.otherClients = [.clearKey, .aes128]
            $0.requests.presets = [.axinom]
            $0.requests.names.spc.append("player_payload")
            $0.requests.names.asset.append("contentId")
            $0.requests.names.token = ["access_token"]
            $0.requests.names.forwarded = ["userData"]
            $0.requests.tokens.headers = ["x-token"]
            $0.requests.tokens.schemes.append("token")
        }
        #expect(full.crossOriginHeaders == ["x-session"])
        #expect(full.licenses == licenses)
        #expect(full.limits == plain.configuration.limits)
    }

    @Test("The environment overrides the file, the command line overrides both, and each value has its origin")
    func precedence() throws {
        let text = Self.least + "limits:\n  threads: 2\n  queue: 3\n  batch: 4\nproxies: [10.0.0.0/8, 10.9.9.9]\n"
        let loaded = try load(
            text,
            environment: [
                "KEYWAY_LIMITS_QUEUE": "30", "KEYWAY_LIMITS_BATCH": "5", "KEYWAY_PROXIES": "::1, 192.0.2.0/24",
            ],
            options: [("limits.batch", "6", "--batch")]
        )
        #expect(loaded.configuration.limits.threads == 2)
        #expect(loaded.configuration.limits.queue == 30)
        #expect(loaded.configuration.limits.batch == 6)
        #expect(loaded.configuration.proxies.map(\.description) == ["::1/128", "192.0.2.0/24"])
        let origins = Dictionary(uniqueKeysWithValues: loaded.settings.map { ($0.path, $0.origin.description) })
        #expect(origins["limits.threads"] == "/etc/k/c.yaml:4")
        #expect(origins["limits.queue"] == "$KEYWAY_LIMITS_QUEUE")
        #expect(origins["limits.batch"] == "--batch")
        #expect(origins["limits.connections"] == "default")
    }

    @Test(
        "The crypto_mb library is found automatically, off, or named by its absolute path",
        arguments: [
            ("auto", .auto), ("off", .off), ("'off'", .off),
            ("/usr/lib/libcrypto_mb.so.13", .library("/usr/lib/libcrypto_mb.so.13")),
            ("libcrypto_mb.so.13", nil), ("on", nil),
        ] as [(String, ServerConfiguration.MultiBuffer?)]
    )
    func multiBuffer(text: String, value: ServerConfiguration.MultiBuffer?) throws {
        let file = Self.least + "limits:\n  multiBuffer: \(text)\n"
        guard let value else {
            #expect(throws: ConfigurationErrors.self) { try load(file) }
            return
        }
        #expect(try load(file).configuration.limits.multiBuffer == value)
    }

    @Test("The settings of licenses and of the page for playback have the values of the file")
    func values() throws {
        let file =
            "playerPage: true\nlicenses: {protocolVersions: [1, 2], maximumSPCAge: PT1H, reportBinding: PT0S, "
            + "checkBeforeIssuing: true}\n"
        let configuration = try load(Self.least + file).configuration
        #expect(configuration.playerPage)
        #expect(configuration.licenses.protocolVersions == [1, 2])
        #expect(configuration.licenses.maximumSPCAge == Seconds(rawValue: 3_600))
        #expect(configuration.licenses.reportBinding == Seconds(rawValue: 0))
        #expect(configuration.licenses.checkBeforeIssuing)
        let defaults = try load(Self.least).configuration
        #expect(!defaults.playerPage && !defaults.licenses.checkBeforeIssuing)
    }

    @Test("Each setting has its own environment variable")
    func variables() {
        let variables = ServerConfiguration.settings.compactMap(\.variable)
        #expect(Set(variables).count == variables.count)
        for name in [
            "KEYWAY_DATA", "KEYWAY_LICENSES_MAXIMUM_SPC_AGE", "KEYWAY_LICENSES_KEY_URLS_SECRET_FILE",
            "KEYWAY_LIMITS_RATES_SEGMENT_ADDRESS_PER_MINUTE", "KEYWAY_ADMIN_ALLOW_REMOTE",
        ] { #expect(variables.contains(name), "\(name)") }
    }

    @Test("The environment alone is sufficient, and there is a warning for an unknown variable without its value")
    func environmentAlone() throws {
        let loaded = try load(
            nil,
            environment: [
                "KEYWAY_DATA": "d", "KEYWAY_AUTHORIZATION_NONE": "true", "KEYWAY_KEK_VARIABLE": "KEYWAY_SECRET",
                "KEYWAY_SECRET": "topsecret", "KEYWAY_LISTN": "hush",
            ]
        )
        #expect(loaded.configuration.data == "d")
        let warnings = loaded.warnings.map(\.description)
        #expect(warnings.contains { $0.contains("KEYWAY_LISTN") })
        #expect(!warnings.contains { $0.contains("hush") || $0.contains("KEYWAY_SECRET") })
    }

    @Test("Relative paths in the file start from its folder, others from the working directory")
    func paths() throws {
        let text = "data: d\nauthorization: {none: true}\nkek: {file: kek}\n"
        #expect(try load(text).configuration.data == "/etc/k/d")
        let other = try load(text, environment: ["KEYWAY_KEK_FILE": "kek"])
        #expect(other.configuration.kek.file == "kek")
    }

    @Test(
        "The path of a key set starts from the folder of the configuration, and a URL is unchanged",
        arguments: [
            ("jwks.json", "/etc/k/jwks.json"), ("keys/jwks.json", "/etc/k/keys/jwks.json"), ("/a/b", "/a/b"),
            ("https://a.example/jwks.json", "https://a.example/jwks.json"),
        ]
    )
    func keySets(jwks: String, expected: String) throws {
        let issuer = "{issuer: a, audience: b, jwks: '\(jwks)'}"
        let loaded = try load("data: /d\nauthorization: {tokens: [\(issuer)]}\n")
        let found = try #require(loaded.configuration.authorization.tokens.first)
        #expect(found.jwks == expected)
        switch try found.keySource() {
        case .file(let path, _): #expect(path == expected)
        case .url(let url): #expect(url.text == expected)
        default: Issue.record("neither a file nor a URL")
        }
    }

    @Test(
        "Errors contain file, line, setting and what to do",
        arguments: [
            ("limits: {thread: 1}", ":3: limits.thread: unknown setting; did you mean `limits.threads`?"),
            ("limits:\n  threads: many", ":4: limits.threads: expected an integer from 0 to 1024, found \"many\""),
            ("limits:\n  threads: 1.5", ":4: limits.threads: expected an integer"),
            ("limits:\n  threads: [1]", ":4: limits.threads: expected an integer from 0 to 1024, found a list"),
            ("limits:\n  threads: {a: b}", ":4: limits.threads: expected an integer from 0 to 1024, found a section"),
            ("limits:\n  threads:", ":4: limits.threads: has no value"),
            ("limits: 5", ":3: limits: is a section"),
            ("batch: 5", ":3: batch: unknown setting; did you mean `limits.batch`?"),
            ("metrics: yes", ":3: metrics: expected true or false, found \"yes\""),
            ("metrics: true\nmetrics: true", ":3: metrics: is set more than once"),
            ("licenses:\n  retryGrace: 60", ":4: licenses.retryGrace: expected a duration in ISO 8601"),
            ("proxies: 10.0.0.0/8", ":3: proxies: must be a list"),
            ("proxies: [10.0.0.1/8]", ":3: proxies: expected addresses or networks"),
            ("cors: {origins: [www.example.com]}", ":3: cors.origins: expected origins"),
            ("cors: {origins: ['https://EXAMPLE.com/']}", ":3: cors.origins: expected origins"),
            ("listen: 8080", ":3: listen: expected host:port"),
            ("log: {format: xml}", ":3: log.format: expected one of json, text"),
            ("kek: {file: a, variable: B}", ":3: kek.variable: conflicts with kek.file"),
            ("kek: {file: a, command: b}", ":3: kek.command: conflicts with kek.file"),
            ("kek: {variable: A, command: b}", ":3: kek.command: conflicts with kek.variable"),
            ("certificates: {reload: PT0S}", ":3: certificates.reload: must be at least PT1S"),
            ("certificates: {pluginDeadline: PT0S}", ":3: certificates.pluginDeadline: must be PT1S to PT1M"),
            ("certificates: {pluginDeadline: PT61S}", ":3: certificates.pluginDeadline: must be PT1S to PT1M"),
            ("store: mysql://db/keyway", ":3: store: must be an address such as postgres://"),
            ("store: 'postgres://keyway:s3cret@db/keyway'", ":3: store: contains a password"),
            ("store: 'postgres://db/keyway?password=s3cret'", ":3: store: contains a password"),
            ("store: postgres://db/keyway", "kek: is missing: servers that share a store"),
            (
                "postgres: {passwordFile: a, passwordVariable: B}",
                ":3: postgres.passwordVariable: conflicts with postgres.passwordFile"
            ),
            ("postgres: {deadline: PT0S}", ":3: postgres.deadline: must be PT1S"),
            ("postgres: {connections: 2}", ":3: postgres.connections: expected an integer from 3 to 100"),
            ("tls: {key: a}", ":3: tls.certificate: is missing; tls.key requires it"),
            ("admin: {listen: '0.0.0.0:1'}", ":3: admin.listen: must be a loopback address unless"),
            (
                "admin: {listen: '0.0.0.0:1', allowRemote: true}",
                ":3: admin.listen: must be a loopback address without tls"
            ),
            ("admin: {listen: '127.0.0.1:8080'}", ":3: admin.listen: is the same as listen"),
            ("licenses: {retryGrace: PT26S}", ":3: licenses.retryGrace: must be PT5S shorter than"),
            ("licenses: {leaseSkew: PT4S, retryGrace: PT0S}", ":3: licenses.retryGrace: must be PT5S shorter than"),
            ("licenses: {protocolVersions: []}", ":3: licenses.protocolVersions: is empty; write [1]"),
            ("licenses: {maximumSPCAge: PT0S}", ":3: licenses.maximumSPCAge: must be at least PT1S"),
            ("licenses: {reportBinding: yes}", ":3: licenses.reportBinding: expected a duration"),
            ("licenses: {reservation: PT0S}", ":3: licenses.reservation: must be at least PT1S"),
            ("limits: {batch: 100}", "limits.rates.license.account.burst: is less than limits.batch"),
            ("- a", "invalid YAML"),
            ("a: &x [1]\nb: *x", ": a: unknown setting"),
            ("a.b: 1", "the name of a setting must be a word"),
        ]
    )
    func wrong(text: String, expected: String) {
        let problems = problems(Self.least + text + "\n")
        #expect(problems.contains { $0.contains(expected) }, "\(problems)")
    }

    @Test(
        "The authorization must be set once, and be safe",
        arguments: [
            ("", "authorization: is missing; set authorization.tokens"),
            ("none: true, webhook: {url: 'https://a', secretFile: s}", "has more than one"),
            ("webhook: {url: 'http://example.com', secretFile: s}", "webhook.url: must be an https URL"),
            ("webhook: {url: 'http://127.0.0.1.example.com/', secretFile: s}", "webhook.url: must be an https URL"),
            ("webhook: {url: 'https://a@b/', secretFile: s}", "webhook.url: must be an https URL"),
            ("webhook: {url: 'https://a'}", "webhook.secretFile: is missing"),
            ("webhook: {secretFile: s}", "webhook.url: is missing"),
            ("webhook: {url: 'https://a', secretFile: s, timeout: PT1H}", "webhook.timeout: must be PT1S"),
            ("tokens: {issuer: a}", "tokens: is a list of sections"),
            ("tokens: [{issuer: a}]", "tokens[0].jwks: is missing"),
            ("tokens: [{jwks: /a}]", "tokens[0].issuer: is missing"),
            ("tokens: [{issuer: a, jwks: /a}]", "tokens[0].audience: is missing"),
            ("tokens: [{issuer: a, jwks: 'http://example.com/'}]", "tokens[0].jwks: must be an https URL"),
            ("tokens: [{issuer: a, jwks: /a, algorithms: [none]}]", "tokens[0].algorithms: expected some of HS256"),
            ("tokens: [{issuer: a, jwks: /a, algorithms: []}]", "tokens[0].algorithms: is empty"),
            ("tokens: [{issuer: a, jwks: /a, algorithms: [HS256, RS256]}]", "mixes HS256 with public-key algorithms"),
            ("tokens: [{issuer: a, jwks: /a}, {issuer: a, jwks: /b}]", "contains the same issuer more than once"),
            (
                "tokens: [{issuer: a, audience: b, jwks: /a}, {issuer: a, audience: c, jwks: /a}]",
                "authorization.tokens: contains the same issuer more than once"
            ),
            ("tokens: [{issuer: a, audience: b, jwks: /a, clockSkew: PT20M}]", "tokens[0]: the clock skew of issuer a"),
            (
                "tokens: [{issuer: a, audience: b, jwks: 'https://a/', algorithms: [HS256]}]",
                "tokens[0]: issuer a uses HS256"
            ),
            ("tokens: [{issuer: a, audience: b, jwks: 'http://127.0.0.2/'}]", "tokens[0].jwks: must be an https URL"),
            ("webhook: {url: 'http://127.0.0.2:9/x', secretFile: s}", "webhook.url: must be an https URL"),
            ("webhook: {url: 'https://a/#b', secretFile: s}", "webhook.url: must be an https URL"),
            ("webhook: {url: 'https://a', secretFile: s, retries: 5}", "retries: expected an integer from 0 to 2"),
        ]
    )
    func authorization(text: String, expected: String) {
        let problems = problems("data: d\nauthorization: {\(text)}\n")
        #expect(problems.contains { $0.contains(expected) }, "\(problems)")
    }

    @Test("There are warnings for risky settings")
    func warnings() throws {
        let text =
            Self.least + "proxies: [0.0.0.0/0]\ncors: {origins: ['*']}\nlisten: 0.0.0.0:80\n"
            + "admin: {listen: '0.0.0.0:81', allowRemote: true}\ntls: {certificate: c, key: k}\n"
        let paths = try load(text).warnings.map(\.path)
        #expect(paths == ["kek", "admin.listen", "authorization.none", "proxies", "cors.origins"])
        let other = try load(
            "data: d\nlisten: 0.0.0.0:80\nauthorization: {tokens: [{issuer: a, audience: b, jwks: /a, allowPolicyOverride: true}]}"
        )
        #expect(other.warnings.map(\.path).filter { $0 != "kek" }.count == 2)
    }

    @Test("Clients without FairPlay are listed by name; development lists all by default, with a warning")
    func otherClients() throws {
        func clients(_ text: String, isDevelopment: Bool = false) throws -> Set<OtherClientKind> {
            try load(Self.least + text, isDevelopment: isDevelopment).configuration.licenses.otherClients
        }
        let all = Set(OtherClientKind.allCases)
        #expect(try clients("") == [])
        #expect(try clients("licenses: {otherClients: [clearKey]}") == [.clearKey])
        #expect(try clients("licenses: {otherClients: [clearKey, aes128]}") == all)
        #expect(
            try load(Self.least, environment: ["KEYWAY_LICENSES_OTHER_CLIENTS": "aes128"]).configuration.licenses
                .otherClients == [.aes128]
        )
        #expect(try clients("", isDevelopment: true) == all)
        #expect(try clients("licenses: {otherClients: []}", isDevelopment: true) == [])
        #expect(
            problems(Self.least + "licenses: {otherClients: [identity]}").first?.contains("expected clearKey, aes128")
                == true
        )

        func warning(_ text: String, isDevelopment: Bool = false) throws -> String? {
            try load(Self.least + text, isDevelopment: isDevelopment).warnings.map(\.description)
                .first { $0.contains("licenses.") }
        }
        #expect(try warning("") == nil)
        #expect(try warning("licenses: {otherClients: [clearKey]}")?.contains("Clear Key clients get raw keys") == true)
        #expect(try warning("", isDevelopment: true)?.hasSuffix("; --dev turns this on") == true)
        #expect(try warning("licenses: {keyURLs: {secretFile: s}}")?.contains("lists aes128") == true)
    }

    @Test("Development requires no authorization, but loopback addresses")
    func development() throws {
        #expect(problems("data: d", isDevelopment: true).isEmpty)
        #expect(problems("data: d\nlisten: 0.0.0.0:1", isDevelopment: true).count == 1)
        let remote =
            "data: d\nadmin: {listen: '0.0.0.0:1', allowRemote: true}\ntls: {certificate: c, key: k}\n"
            + "authorization: {none: true}\n"
        #expect(problems(remote).isEmpty)
        let refused = problems(remote, isDevelopment: true)
        #expect(refused.count == 1)
        #expect(refused.first?.contains("admin.listen: must be a loopback address in development") == true)
    }

    @Test("Existing files must be usable, and missing ones are reported")
    func files() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keyway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ name: String, _ text: String, mode: mode_t = 0o600) throws {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
            #expect(chmod(folder.appendingPathComponent(name).path, mode) == 0)
        }
        try write("short", "secret")
        try write("open", "id \(String(repeating: "s", count: 64))", mode: 0o644)
        try write("long", String(repeating: "s", count: 32))
        try write("urls", "id \(String(repeating: "s", count: 32))")
        try write("tls", "no PEM")
        func found(_ text: String) throws -> (unusable: [String], unreadable: [String]) {
            let loaded = try LoadedConfiguration.load(text: text, name: folder.path + "/c.yaml")
            let problems = loaded.fileProblems()
            return (problems.unusable.map(\.path), problems.unreadable.map(\.path))
        }
        let webhook = "data: d\nauthorization: {webhook: {url: 'https://a', secretFile: "
        #expect(try found(webhook + "long}}").unusable == [])
        #expect(try found(webhook + "short}}").unusable == ["authorization.webhook.secretFile"])
        #expect(try found(webhook + "none}}").unreadable == ["authorization.webhook.secretFile"])
        #expect(try found(Self.least + "licenses: {keyURLs: {secretFile: urls}}").unusable == [])
        let urls = try found(Self.least + "licenses: {keyURLs: {secretFile: long}}")
        #expect(urls.unusable == ["licenses.keyURLs.secretFile"])
        #expect(try found(Self.least + "tls: {certificate: tls, key: tls}").unusable == ["tls.certificate"])
        #expect(try found(Self.least + "tls: {certificate: tls, key: none}").unreadable == ["tls.key"])
        let postgres = "store: 'postgres://a@b/c'\nkek: {file: long}\n"
        for (setting, text) in [
            ("authorization.webhook.secretFile", webhook + "open}}"),
            ("licenses.keyURLs.secretFile", Self.least + "licenses: {keyURLs: {secretFile: open}}"),
            ("tls.key", Self.least + "tls: {certificate: tls, key: open}"),
            ("kek.file", Self.least + "kek: {file: open}"),
            ("postgres.passwordFile", Self.least + postgres + "postgres: {passwordFile: open}"),
        ] { #expect(try found(text).unusable == [setting]) }
        let path = folder.path + "/open"
        let issuer = "{issuer: a, audience: b, algorithms: [HS256], jwks: \(path)}"
        let problems = problems("data: d\nauthorization: {tokens: [\(issuer)]}")
        #expect(problems.count == 1 && problems.first?.contains("chmod 600 \(path)") == true)
    }

    @Test("Malformed text causes neither a crash nor a hang, and errors do not repeat all of it")
    func hostile() {
        let bomb = (1...9).map {
            "a\($0): &a\($0) [" + Array(repeating: "*a\($0 - 1)", count: 9).joined(separator: ",") + "]"
        }
        var texts = [
            "a0: &a0 x\n" + bomb.joined(separator: "\n"), "\u{0}", "[", "{", "? : ?", "&a *a", "!!binary x: y",
            "%YAML 9",
            String(repeating: "[", count: 10_000), String(repeating: "a:\n ", count: 500), "~: ~", "? [a]\n: b",
        ]
        let example = ServerConfiguration.example
        for count in stride(from: 0, to: example.utf8.count, by: 61) { texts.append(String(example.prefix(count))) }
        for text in texts { _ = problems(text) }
        let secret = "0123456789abcdef0123456789abcdef"
        #expect(!problems("data: d\nlog: {level: \(secret)}").joined().contains(secret))
    }
}

extension ServerConfiguration.Licenses {
    fileprivate func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}
