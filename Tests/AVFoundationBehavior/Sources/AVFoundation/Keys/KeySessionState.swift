import Dispatch
import Foundation

/// The key and the output that it is for: each output has keys of its own (rule 45).
struct KeySlot: Hashable, Sendable {
    var identifier: String
    var route: OutputRoute

    /// The identifier of a key has to equal the playlist's URI character for character (rule 35). Whether a URL and a
    /// String of the same text are the same key is unknown (rule 34); here they are.
    init(_ identifier: Any?, _ initializationData: Data?, _ route: OutputRoute = .local) {
        self.route = route
        switch identifier {
        case let text as String: self.identifier = text
        case let url as URL: self.identifier = url.absoluteString
        case let data as Data: self.identifier = "data: \(data.base64EncodedString())"
        case let other?: self.identifier = "\(other)"
        case nil: self.identifier = "initialization data: \(initializationData?.base64EncodedString() ?? "")"
        }
    }
}

/// A weak reference.
final class Weak: @unchecked Sendable {
    weak var object: AnyObject?
    init(_ object: AnyObject?) { self.object = object }
}

/// A key that a session has loaded.
struct KeyEntry: @unchecked Sendable {
    var key: LoadedKey
    var request: AVContentKeyRequest
    var contentKey: AVContentKey?

    var fairPlay: (any FairPlayKey)? { if case .fairPlay(let key) = key { key } else { nil } }

    /// A key whose lease has ended has to be requested again.
    func isUsable(at now: Date) -> Bool {
        fairPlay?.leaseEnd.map { Double($0) > now.timeIntervalSince1970 } ?? true
    }
}

/// A player or a download that waits for a key.
struct KeyWaiter: @unchecked Sendable {
    var recipient: Weak
    var isPlayback: Bool
    var completion: @Sendable (Result<LoadedKey, NSError>) -> Void
}

/// The state of a session. The lock of the session protects it.
struct KeySessionState: @unchecked Sendable {
    enum Phase { case active, expired, ended }

    var phase = Phase.active
    var delegate = Weak(nil)
    var queue: DispatchQueue?
    /// The methods that the delegate was found not to implement.
    var missing: Set<OptionalMethod> = []
    var supportsAdvisoryKeys = false
    /// The identifiers for which the system has an advisory key: the test decides.
    var advisoryKeys: Set<String> = []

    /// The ID of the playback session on the device.
    var playbackSession: UInt64?
    /// The app identifier of the last SPC: the certificate.
    var certificate: Data?
    /// True after the first recipient was added (rule 79).
    var isTracked = false

    var recipients: [Weak] = []
    var removed: [Weak] = []

    /// The requests without a verdict.
    var open: [KeySlot: [AVContentKeyRequest]] = [:]
    var waiters: [KeySlot: [KeyWaiter]] = [:]
    /// Each session has keys of its own (rules 11 and 43).
    var keys: [KeySlot: KeyEntry] = [:]
    /// The keys whose last request failed or was cancelled.
    var failed: Set<KeySlot> = []
    /// The identifiers whose next response is obsolete: the test decides.
    var obsolete: Set<String> = []

    /// Removes a request that has ended.
    mutating func close(_ request: AVContentKeyRequest) {
        open[request.cause.slot]?.removeAll { $0 === request }
        if open[request.cause.slot]?.isEmpty == true { open[request.cause.slot] = nil }
    }

    /// Returns the waiters of a key if no other request may still provide it.
    mutating func takeWaiters(_ slot: KeySlot) -> [KeyWaiter] {
        guard open[slot] == nil else { return [] }
        return waiters.removeValue(forKey: slot) ?? []
    }
}

/// The times that AVFoundation waits are unknown (rule 22). These are invented.
enum KeyTiming {
    /// The time for the app to answer a request.
    static let answer = Duration.seconds(30)
    /// The time before the end of a lease at which the system renews it, with the switch `autoRenewal`.
    static let autoRenewal = Duration.seconds(5)
}
