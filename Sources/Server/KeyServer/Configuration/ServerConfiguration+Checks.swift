import KeyServerModule

extension ServerConfiguration {
    /// Finds what contradicts itself, and what is risky.
    func check(_ reader: inout SettingReader, isDevelopment: Bool) {
        if data.isEmpty { reader.fail("data", "is missing; say where the data is to be") }
        checkKeyEncryption(&reader)
        checkStore(&reader, isDevelopment: isDevelopment)
        if kek.isInDataFolder, !isDevelopment, store == nil {
            reader.warn("kek", "the key-encryption key lies beside what it protects; kek.file puts it elsewhere")
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
            reader.warn("proxies", "everybody is believed on their own address; name your proxies")
        }
        if crossOrigin == .all { reader.warn("cors.origins", "every web page may ask for licenses; name yours") }
    }

    private func checkKeyEncryption(_ reader: inout SettingReader) {
        if kek.file != nil, kek.variable != nil {
            reader.fail("kek.variable", "contradicts kek.file; keep one of them")
        } else if kek.command != nil, !kek.hasOneSource {
            let other = kek.file == nil ? "kek.variable" : "kek.file"
            reader.fail("kek.command", "contradicts \(other); keep one of them")
        }
        if certificates.reload.rawValue == 0 { reader.fail("certificates.reload", "is at least PT1S") }
    }

    /// The address itself is read where the connection is made; here it is enough that it shows no password to whoever may
    /// see the configuration.
    private func checkStore(_ reader: inout SettingReader, isDevelopment: Bool) {
        if postgres.passwordFile != nil, postgres.passwordVariable != nil {
            reader.fail("postgres.passwordVariable", "contradicts postgres.passwordFile; keep one of them")
        }
        if !(1...60).contains(postgres.deadline.rawValue) { reader.fail("postgres.deadline", "is from PT1S to PT1M") }
        guard let store else {
            if reader.has("postgres") {
                reader.warn("postgres", "is of no use: without store, everything is in the data folder")
            }
            return
        }
        let parts = store.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, ["postgres:", "postgresql:"].contains(parts[0]), parts[1].isEmpty else {
            return reader.fail("store", "takes an address such as postgres://keyway@db.example.com/keyway")
        }
        let user = parts[2].split(separator: "/", maxSplits: 1).first?.split(separator: "@").dropLast().first ?? ""
        if user.contains(":") || store.contains("password=") {
            reader.fail("store", "has a password in it; keep that in postgres.passwordFile")
        }
        if kek.isInDataFolder, !isDevelopment {
            reader.fail("kek", "is missing: servers that share a store share its key-encryption key; give kek.file")
        }
    }

    private func checkListeners(_ reader: inout SettingReader, isDevelopment: Bool) {
        let hasTLS = tls.certificate != nil && tls.key != nil
        if tls.certificate != nil, tls.key == nil { reader.fail("tls.key", "is missing beside tls.certificate") }
        if tls.key != nil, tls.certificate == nil { reader.fail("tls.certificate", "is missing beside tls.key") }
        if tls.reload.rawValue == 0 { reader.fail("tls.reload", "is at least PT1S") }
        if isDevelopment, !listen.isLoopback {
            reader.fail("listen", "development listens on a loopback address alone, such as 127.0.0.1:8080")
        } else if !listen.isLoopback, !hasTLS {
            reader.warn(
                "listen",
                "keys and tokens can be read on the way to \(listen); give tls, or a proxy that has it"
            )
        }
        if admin.clientCA != nil, !hasTLS || admin.listen == nil {
            reader.fail("admin.clientCA", "needs tls and admin.listen: certificates are looked at there alone")
        }
        guard let address = admin.listen else { return }
        if address == listen, address.port != 0 {
            reader.fail("admin.listen", "is where players ask; give it a port of its own")
        }
        guard !address.isLoopback else { return }
        if isDevelopment {
            // Not even with TLS: development takes anybody's word on who they are.
            reader.fail("admin.listen", "development listens on a loopback address alone, such as 127.0.0.1:8081")
        } else if !admin.allowRemote {
            reader.fail("admin.listen", "takes a loopback address, unless admin.allowRemote is true")
        } else if !hasTLS {
            reader.fail(
                "admin.listen",
                "takes a loopback address without tls: the admin token could be read on the way"
            )
        } else {
            reader.warn("admin.listen", "administration can be reached from other machines; see that few can")
        }
    }

    private func checkAuthorization(_ reader: inout SettingReader, isDevelopment: Bool) {
        let ways = [!authorization.tokens.isEmpty, reader.has("authorization.webhook"), authorization.none]
        switch ways.filter({ $0 }).count {
        case 0 where !isDevelopment:
            reader.fail(
                "authorization",
                "does not say who gets licenses; set authorization.tokens or authorization.webhook, or "
                    + "authorization.none: true if a service in front of this server decides"
            )
        case 2...: reader.fail("authorization", "gives more than one of tokens, webhook and none; keep one")
        default: break
        }
        if authorization.none {
            reader.warn("authorization.none", "everybody who reaches this server gets licenses")
        }
        for (index, issuer) in authorization.tokens.enumerated() {
            check(issuer, "authorization.tokens[\(index)]", &reader)
        }
        let names = authorization.tokens.map(\.issuer)
        if Set(names).count < names.count {
            reader.fail("authorization.tokens", "names an issuer twice; keep one, with one audience")
        }
        guard reader.has("authorization.webhook") else { return }
        guard let webhook = authorization.webhook else {
            return reader.fail("authorization.webhook.url", "is missing")
        }
        if webhook.mayLoosen {
            reader.warn("authorization.webhook.mayLoosen", "its answers may undo what the content's policy says")
        }
        if webhook.secretFile == nil { reader.fail("authorization.webhook.secretFile", "is missing") }
        guard (1...30).contains(webhook.timeout.rawValue) else {
            return reader.fail("authorization.webhook.timeout", "is from PT1S to PT30S")
        }
        do { _ = try OutgoingURL(webhook.url) } catch {
            return reader.fail(
                "authorization.webhook.url",
                "takes an https URL, or http on the loopback interface: \(error)"
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
                reader.fail(path + ".jwks", "takes an https URL, or the path of a file: \(error)")
            }
        }
        if issuer.algorithms.isEmpty { reader.fail(path + ".algorithms", "names none; such as [ES256]") }
        if issuer.algorithms.contains(.hs256), issuer.algorithms.count > 1 {
            reader.fail(path + ".algorithms", "mixes HS256 with public keys; give it an issuer of its own")
        }
        if issuer.audience == nil {
            reader.fail(path + ".audience", "is missing: tokens that were made for other services would be taken too")
        }
        if reader.problems.count == before {
            do { _ = try KeyServer.TokenIssuer(issuer) } catch { reader.fail(path, "\(error)") }
        }
        if issuer.mayLoosen { reader.warn(path + ".mayLoosen", "its tokens may undo what the content's policy says") }
        if issuer.clockSkew.rawValue > 300 {
            reader.warn(path + ".clockSkew", "tokens are taken for that long after they have expired")
        }
    }

    private func checkOtherClients(_ reader: inout SettingReader, isDevelopment: Bool) {
        let clients = OtherClientKind.allCases.filter(licenses.otherClients.contains).map(\.rawValue)
        if !clients.isEmpty {
            let isDefault = isDevelopment && !reader.has("licenses.otherClients")
            reader.warn(
                "licenses.otherClients",
                "\(clients.joined(separator: " and ")) clients get raw keys, which they can copy, of content whose policy "
                    + "says \"otherClients\": \"allow\"" + (isDefault ? "; --dev turns this on" : "")
            )
        }
        if licenses.keyURLs.secretFile != nil, !licenses.otherClients.contains(.aes128) {
            reader.warn("licenses.keyURLs", "has no effect until licenses.otherClients lists aes128")
        }
    }

    private func checkLimits(_ reader: inout SettingReader, isDevelopment: Bool) {
        if licenses.protocolVersions.isEmpty { reader.fail("licenses.protocolVersions", "names none; such as [1]") }
        if licenses.maximumSPCAge.rawValue == 0 { reader.fail("licenses.maximumSPCAge", "is at least PT1S") }
        // A lease of nothing would be no lease, so every key that is loaded ahead would be refused.
        if licenses.reservation.rawValue == 0 { reader.fail("licenses.reservation", "is at least PT1S") }
        if licenses.leaseSkew < LicenseSettings.answerTime
            || licenses.leaseSkew.rawValue - LicenseSettings.answerTime.rawValue < licenses.retryGrace.rawValue
        {
            reader.fail(
                "licenses.retryGrace",
                "is not \(LicenseSettings.answerTime) shorter than licenses.leaseSkew: the key of a late retry would "
                    + "outlive its slot"
            )
        }
        checkOtherClients(&reader, isDevelopment: isDevelopment)
        if licenses.keyURLs.secretFile != nil, licenses.keyURLs.lifetime.rawValue == 0 {
            reader.fail("licenses.keyURLs.lifetime", "is at least PT1S")
        }
        for (name, pair) in [("license", limits.rates.license), ("segment", limits.rates.segment)] {
            for (whose, limit) in [("account", pair.account), ("address", pair.address)]
            where limit.burst < limits.batch {
                reader.fail(
                    "limits.rates.\(name).\(whose).burst",
                    "is less than limits.batch: no full batch could pass"
                )
            }
        }
        let (all, segments) = (limits.rates.other.address, limits.rates.segment.address)
        if all.perMinute > 0, segments.perMinute == 0 || all.perMinute < segments.perMinute {
            reader.warn("limits.rates.other.address.perMinute", "counts all requests and is less than segment's")
        }
        if shutdownGrace.rawValue > 3_600 { reader.fail("shutdownGrace", "is at most PT1H") }
        if shutdownDelay.rawValue > 3_600 { reader.fail("shutdownDelay", "is at most PT1H") }
    }
}
