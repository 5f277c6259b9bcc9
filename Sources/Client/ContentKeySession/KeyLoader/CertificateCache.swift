/// A cache of the application certificate. The certificate is fetched when the first key needs it, and fetched again
/// when a server does not recognize it or when it expires. Requests that need it during a fetch wait for that fetch.
///
/// | State | Effect of a request for the certificate |
/// |---|---|
/// | not cached | it is fetched |
/// | a fetch is in progress | the request waits |
/// | younger than `lifetime` | the cached certificate is used |
/// | older | it is fetched |
/// | a server did not recognize it, and it is still cached | it is removed, so that the next request fetches it |
struct CertificateCache {
    enum Step: Equatable {
        case use([UInt8])
        case wait
        case fetch
    }

    let lifetime: Duration
    private var cached: (bytes: [UInt8], since: Duration)?
    private(set) var isFetching = false

    init(lifetime: Duration) { self.lifetime = lifetime }

    mutating func step(now: Duration) -> Step {
        if isFetching { return .wait }
        if let cached, now - cached.since < lifetime { return .use(cached.bytes) }
        isFetching = true
        return .fetch
    }

    /// Ends a fetch, with a certificate or, if it failed, without one.
    mutating func fetched(_ bytes: [UInt8]?, now: Duration) {
        isFetching = false
        if let bytes { cached = (bytes, now) }
    }

    /// Removes a certificate that a server did not recognize, unless it was already replaced: many requests fail
    /// together, and one fetch is enough.
    mutating func drop(_ bytes: [UInt8]) {
        if cached?.bytes == bytes { cached = nil }
    }

    /// Returns whether the bytes can be a DER certificate: a SEQUENCE that ends at the end of the bytes. For example, a
    /// login page is rejected.
    static func isPlausible(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 4, bytes[0] == 0x30 else { return false }
        guard bytes[1] & 0x80 != 0 else { return bytes.count == 2 + Int(bytes[1]) }
        let digits = Int(bytes[1] & 0x7f)
        guard (1...3).contains(digits), bytes.count > 2 + digits else { return false }
        let length = bytes[2..<2 + digits].reduce(0) { $0 << 8 | Int($1) }
        return bytes.count == 2 + digits + length
    }
}
