/// The application certificate: fetched when the first key needs it, kept, and fetched again when a server does not know
/// it or it has grown old. Who needs it while it is being fetched waits for that fetch.
///
/// | What is so | A request for it |
/// |---|---|
/// | there is none | fetches |
/// | it is being fetched | waits |
/// | it is younger than `lifetime` | takes it |
/// | it is older | fetches |
/// | a server did not know it, and it is still the one that is kept | it is dropped, so that the next one fetches |
struct CertificateCache {
    enum Step: Equatable {
        case take([UInt8])
        case wait
        case fetch
    }

    let lifetime: Duration
    private var kept: (bytes: [UInt8], since: Duration)?
    private(set) var isFetching = false

    init(lifetime: Duration) { self.lifetime = lifetime }

    mutating func step(now: Duration) -> Step {
        if isFetching { return .wait }
        if let kept, now - kept.since < lifetime { return .take(kept.bytes) }
        isFetching = true
        return .fetch
    }

    /// A fetch has ended, with a certificate or without.
    mutating func fetched(_ bytes: [UInt8]?, now: Duration) {
        isFetching = false
        if let bytes { kept = (bytes, now) }
    }

    /// A server does not know this one. A newer one stays: many requests fail together, and one fetch is enough.
    mutating func drop(_ bytes: [UInt8]) {
        if kept?.bytes == bytes { kept = nil }
    }

    /// Whether this can be a certificate in DER: a SEQUENCE that ends where the bytes do. A login page is none.
    static func isPlausible(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 4, bytes[0] == 0x30 else { return false }
        guard bytes[1] & 0x80 != 0 else { return bytes.count == 2 + Int(bytes[1]) }
        let digits = Int(bytes[1] & 0x7f)
        guard (1...3).contains(digits), bytes.count > 2 + digits else { return false }
        let length = bytes[2..<2 + digits].reduce(0) { $0 << 8 | Int($1) }
        return bytes.count == 2 + digits + length
    }
}
