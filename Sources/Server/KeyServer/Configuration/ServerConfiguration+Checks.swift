import KeyServerModule

extension ServerConfiguration {
    /// Reports contradictions in the settings that locate the store.
    func checkLocation(_ reader: inout SettingReader, isDevelopment: Bool) {
        if data.isEmpty { reader.fail("data", "is missing; set it to the path of the data folder") }
        checkKeyEncryption(&reader)
        checkStore(&reader, isDevelopment: isDevelopment)
    }

    /// Reports contradictions as errors, and risky settings as warnings.
    func check(_ reader: inout SettingReader, isDevelopment: Bool) {
        checkLocation(&reader, isDevelopment: isDevelopment)
        if kek.isInDataFolder, !isDevelopment, store == nil {
            reader.warn("kek", "the key-encryption key is stored with the data that it protects; set kek.file")
        }
        checkListeners(&reader, isDevelopment: isDevelopment)
        checkAuthorization(&reader, isDevelopment: isDevelopment)
        checkLimits(&reader, isDevelopment: isDevelopment)
        for (index, channel) in channels.enumerated() where channel.plan == nil {
            reader.fail(
                "channels[\(index)]",
                "needs title and track, a length from PT1M to P31D, and at most 500 periods ahead"
            )
        }
        if proxies.contains(where: { $0.prefixLength == 0 }) {
            reader.warn("proxies", "every client can set its own address; list your proxies only")
        }
        if crossOrigin == .all { reader.warn("cors.origins", "every web page can request licenses; list your pages") }
    }

    private func checkKeyEncryption(_ reader: inout SettingReader) {
        if kek.file != nil, kek.variable != nil {
            reader.fail("kek.variable", "conflicts with kek.file; remove one of them")
        } else if kek.command != nil, !kek.hasOneSource {
            let other = kek.file == nil ? "kek.variable" : "kek.file"
            reader.fail("kek.command", "conflicts with \(other); remove one of them")
        }
        if certificates.reload.rawValue == 0 { reader.fail("certificates.reload", "must be at least PT1S") }
        if !(1...60).contains(certificates.pluginDeadline.rawValue) {
            reader.fail("certificates.pluginDeadline", "must be PT1S to PT1M")
        }
    }

    /// Checks the settings of the store. The connection parses the address itself; this check only makes sure that the
    /// address contains no password that readers of the configuration could see.
    private func checkStore(_ reader: inout SettingReader, isDevelopment: Bool) {
        if postgres.passwordFile != nil, postgres.passwordVariable != nil {
            reader.fail("postgres.passwordVariable", "conflicts with postgres.passwordFile; remove one of them")
        }
        if !(1...60).contains(postgres.deadline.rawValue) { reader.fail("postgres.deadline", "must be PT1S to PT1M") }
        guard let store else {
            if reader.has("postgres") {
                reader.warn("postgres", "has no effect: without store, the server stores everything in the data folder")
            }
            return
        }
        let parts = store.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, ["postgres:", "postgresql:"].contains(parts[0]), parts[1].isEmpty else {
            return reader.fail("store", "must be an address such as postgres://keyway@db.example.com/keyway")
        }
        let user = parts[2].split(separator: "/", maxSplits: 1).first?.split(separator: "@").dropLast().first ?? ""
        if user.contains(":") || store.contains("password=") {
            reader.fail("store", "contains a password; put it in a file and set postgres.passwordFile")
        }
        if kek.isInDataFolder, !isDevelopment {
            reader.fail("kek", "is missing: servers that share a store need the same key-encryption key; set kek.file")
        }
    }

    private func checkListeners(_ reader: inout SettingReader, isDevelopment: Bool) {
        let hasTLS = tls.certificate != nil && tls.key != nil
        if tls.certificate != nil, tls.key == nil { reader.fail("tls.key", "is missing; tls.certificate requires it") }
        if tls.key != nil, tls.certificate == nil { reader.fail("tls.certificate", "is missing; tls.key requires it") }
        if tls.reload.rawValue == 0 { reader.fail("tls.reload", "must be at least PT1S") }
        if isDevelopment, !listen.isLoopback {
            reader.fail("listen", "must be a loopback address in development, such as 127.0.0.1:8080")
        } else if !listen.isLoopback, !hasTLS {
            reader.warn(
                "listen",
                "keys and tokens are sent to \(listen) without encryption; set tls, or use a proxy with TLS"
            )
        }
        if admin.clientCA != nil, !hasTLS || admin.listen == nil {
            reader.fail("admin.clientCA", "requires tls and admin.listen, the listener that checks client certificates")
        }
        guard let address = admin.listen else { return }
        if address == listen, address.port != 0 {
            reader.fail("admin.listen", "is the same as listen; use another port")
        }
        guard !address.isLoopback else { return }
        if isDevelopment {
            // Even with TLS, because a development server does not authenticate clients.
            reader.fail("admin.listen", "must be a loopback address in development, such as 127.0.0.1:8081")
        } else if !admin.allowRemote {
            reader.fail("admin.listen", "must be a loopback address unless admin.allowRemote is true")
        } else if !hasTLS {
            reader.fail(
                "admin.listen",
                "must be a loopback address without tls: the admin token would be sent without encryption"
            )
        } else {
            reader.warn("admin.listen", "other machines can reach administration; restrict access with a firewall")
        }
    }

    private func checkAuthorization(_ reader: inout SettingReader, isDevelopment: Bool) {
        let ways = [!authorization.tokens.isEmpty, reader.has("authorization.webhook"), authorization.none]
        switch ways.filter({ $0 }).count {
        case 0 where !isDevelopment:
            reader.fail(
                "authorization",
                "is missing; set authorization.tokens or authorization.webhook, or "
                    + "authorization.none: true if a service in front of this server authorizes requests"
            )
        case 2...: reader.fail("authorization", "has more than one of tokens, webhook and none; keep only one")
        default: break
        }
        if authorization.none {
            reader.warn("authorization.none", "every client that can reach this server gets licenses")
        }
        for (index, issuer) in authorization.tokens.enumerated() {
            check(issuer, "authorization.tokens[\(index)]", &reader)
        }
        let names = authorization.tokens.map(\.issuer)
        if Set(names).count < names.count {
            reader.fail("authorization.tokens", "contains the same issuer more than once; keep one, with one audience")
        }
        guard reader.has("authorization.webhook") else { return }
        guard let webhook = authorization.webhook else {
            return reader.fail("authorization.webhook.url", "is missing")
        }
        if webhook.allowPolicyOverride {
            reader.warn(
                "authorization.webhook.allowPolicyOverride",
                "the webhook's responses can override the content's policy"
            )
        }
        if webhook.secretFile == nil { reader.fail("authorization.webhook.secretFile", "is missing") }
        guard (1...30).contains(webhook.timeout.rawValue) else {
            return reader.fail("authorization.webhook.timeout", "must be PT1S to PT30S")
        }
        do { _ = try OutgoingURL(webhook.url) } catch {
            return reader.fail(
                "authorization.webhook.url",
                "must be an https URL, or http on the loopback interface: \(error)"
            )
        }
        do { _ = try WebhookConfiguration(webhook, secret: nil) } catch {
            reader.fail("authorization.webhook", "\(error)")
        }
    }

    private func check(_ issuer: TokenIssuer, _ path: String, _ reader: inout SettingReader) {
        let before = reader.problems.count
        if issuer.issuer.isEmpty { reader.fail(path + ".issuer", "is missing") }
        if issuer.jwks.isEmpty {
            reader.fail(path + ".jwks", "is missing")
        } else {
            do { _ = try issuer.keySource() } catch {
                reader.fail(path + ".jwks", "must be an https URL or the path of a file: \(error)")
            }
        }
        if issuer.algorithms.isEmpty { reader.fail(path + ".algorithms", "is empty; write [ES256]") }
        if issuer.algorithms.contains(.hs256), issuer.algorithms.count > 1 {
            reader.fail(path + ".algorithms", "mixes HS256 with public-key algorithms; use a separate issuer for HS256")
        }
        if issuer.audience == nil {
            reader.fail(path + ".audience", "is missing, so tokens for other services would be accepted too")
        }
        if reader.problems.count == before {
            do { _ = try KeyServer.TokenIssuer(issuer) } catch { reader.fail(path, "\(error)") }
        }
        if issuer.allowPolicyOverride {
            reader.warn(path + ".allowPolicyOverride", "its tokens can override the content's policy")
        }
        if issuer.clockSkew.rawValue > 300 {
            reader.warn(path + ".clockSkew", "tokens are accepted for that long after they expire")
        }
    }

    private func checkOtherClients(_ reader: inout SettingReader, isDevelopment: Bool) {
        let clients = OtherClientKind.allCases.filter(licenses.otherClients.contains).map(\.rawValue)
        if !clients.isEmpty {
            let isDefault = isDevelopment && !reader.has("licenses.otherClients")
            reader.warn(
                "licenses.otherClients",
                "\(clients.joined(separator: " and ")) clients get raw keys, which they can copy, of content whose "
                    + "policy contains \"otherClients\": \"allow\"" + (isDefault ? "; --dev turns this on" : "")
            )
        }
        if licenses.keyURLs.secretFile != nil, !licenses.otherClients.contains(.aes128) {
            reader.warn("licenses.keyURLs", "has no effect until licenses.otherClients lists aes128")
        }
    }

    private func checkLimits(_ reader: inout SettingReader, isDevelopment: Bool) {
        if licenses.protocolVersions.isEmpty { reader.fail("licenses.protocolVersions", "is empty; write [1]") }
        if licenses.maximumSPCAge.rawValue == 0 { reader.fail("licenses.maximumSPCAge", "must be at least PT1S") }
        // With a reservation of zero, every preloaded key would be refused.
        if licenses.reservation.rawValue == 0 { reader.fail("licenses.reservation", "must be at least PT1S") }
        if licenses.leaseSkew < LicenseSettings.answerTime
            || licenses.leaseSkew.rawValue - LicenseSettings.answerTime.rawValue < licenses.retryGrace.rawValue
        {
            reader.fail(
                "licenses.retryGrace",
                "must be \(LicenseSettings.answerTime) shorter than licenses.leaseSkew: otherwise the key of a late "
                    + "retry outlives its slot"
            )
        }
        checkOtherClients(&reader, isDevelopment: isDevelopment)
        if licenses.keyURLs.secretFile != nil, licenses.keyURLs.lifetime.rawValue == 0 {
            reader.fail("licenses.keyURLs.lifetime", "must be at least PT1S")
        }
        for (name, pair) in [("license", limits.rates.license), ("segment", limits.rates.segment)] {
            for (whose, limit) in [("account", pair.account), ("address", pair.address)]
            where limit.burst < limits.batch {
                reader.fail(
                    "limits.rates.\(name).\(whose).burst",
                    "is less than limits.batch, so a full batch would always be refused"
                )
            }
        }
        let (all, segments) = (limits.rates.other.address, limits.rates.segment.address)
        if all.perMinute > 0, segments.perMinute == 0 || all.perMinute < segments.perMinute {
            reader.warn("limits.rates.other.address.perMinute", "counts all requests but is less than segment's")
        }
        if shutdownGrace.rawValue > 3_600 { reader.fail("shutdownGrace", "must be at most PT1H") }
        if shutdownDelay.rawValue > 3_600 { reader.fail("shutdownDelay", "must be at most PT1H") }
    }
}
