import Foundation

/// A download task as the system keeps it, also while the app does not run.
struct DownloadRecord: Sendable {
    enum Phase: Sendable { case suspended, running, canceling, ended }

    var id: UInt64
    var session: String
    var taskIdentifier: Int
    var url: URL
    var title: String
    var description: String?
    var selections: [StreamContent.Selection]
    var qualifies: @Sendable (StreamContent.Variant) -> Bool
    var includesInterstitials: Bool
    var isDiscretionary: Bool
    /// The networks that the asset and the session's configuration allow, each by itself (rule 116).
    var access: [NetworkAccess]
    var phase = Phase.suspended
    var hasBegun = false
    var isLocationTold = false
    /// The part that is loaded, from 0 to 1.
    var fraction = 0.0
    /// The path of the package, relative to the home directory.
    var path: String?
    var variant: StreamContent.Variant?
    var content: StreamContent?
    var pendingKeys = 0
    var timer: UInt64?
    var startedAt: SystemClock.Instant?
    var error: NSError?

    func allows(_ network: MediaService.Network) -> Bool { access.allSatisfy { $0.allows(network) } }
}

/// An event for a download session's delegate.
struct DownloadEvent: Sendable {
    enum Kind: Sendable {
        case willDownload
        case variants([StreamContent.Variant])
        case resolved(StreamContent.Selection)
        case loaded(seconds: Double, total: Double)
        case finishedLoading
        case summary(NSError?)
        case completed(NSError?)
    }
    var task: UInt64
    var kind: Kind
}
