import Foundation

/// The cause of a request: its key, its options, and what needs the key.
struct KeyRequestCause: Sendable {
    var slot: KeySlot
    /// The identifier in the type in which it was passed (rule 34).
    var identifier: Unchecked<Any?>
    var initializationData: Data?
    var options = Unchecked<[String: Any]>([:])
    /// The versions of the playlist.
    var versions: [Int] = [1]
    /// The recipient that needs the key; nil if the app called (rule 37).
    var recipient: Weak?
    /// The request whose key is renewed.
    var renewed: AVContentKeyRequest?

    init(
        slot: KeySlot,
        identifier: Unchecked<Any?>,
        initializationData: Data?,
        options: Unchecked<[String: Any]> = Unchecked([:]),
        versions: [Int] = [1],
        recipient: Weak? = nil
    ) {
        (self.slot, self.identifier, self.initializationData) = (slot, identifier, initializationData)
        (self.options, self.versions, self.recipient) = (options, versions, recipient)
    }
}

/// The state of a request. The lock of the request protects it.
struct KeyRequestState: @unchecked Sendable {
    var status = AVContentKeyRequest.Status.requestingResponse
    var error: NSError?
    var contentKey: AVContentKey?
    var canBeFulfilledWithAdvisoryKey = false
    /// True after a response, an error, `respondBy…`, or the end of the time: the app must not answer any more.
    var isAnswered = false
    /// True for the earlier object of a renewal, with the switch `renewObject`.
    var isRenewing = false
    /// The last SPC, with the state that opens its CKC.
    var fairPlay: (any FairPlayRequest)?
    var timer: UInt64?
}
