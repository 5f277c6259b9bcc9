import HLSPlaylist

extension ValidationRule {
    /// Rules about TLS. The cipher and the signature of the certificate are not known.
    static let tlsRules: [ValidationRule] = [
        ValidationRule(
            "tls-version",
            .must,
            "12",
            .http,
            "TLS has version 1.2 or later.",
            advice: "Enable TLS 1.2 and 1.3 on the server or the CDN."
        ) { presentation, findings in
            for (host, place) in presentation.tlsHosts {
                guard let minor = presentation.tls[host]?.minorVersion, minor < 2 else { continue }
                findings.report(
                    place,
                    "\(host) supports only an older version of TLS.",
                    measured: "TLS 1.\(minor)",
                    limit: "TLS 1.2"
                )
            }
        },
        ValidationRule(
            "tls-key-short",
            .must,
            "12",
            .http,
            "The keys of TLS certificates have at least 2048 bits (RSA) or 256 bits (elliptic curves).",
            advice: "Request a certificate for a longer key."
        ) { presentation, findings in
            for (host, place) in presentation.tlsHosts {
                guard let key = presentation.tls[host]?.key, key.bits < key.kind.minimum else { continue }
                findings.report(
                    place,
                    "The certificate of \(host) has a short key.",
                    measured: "\(key.kind.rawValue) with \(key.bits) bits",
                    limit: "\(key.kind.minimum) bits"
                )
            }
        },
    ]
}
