/// Where a request stands.
public enum ContentKeyRequestStatus: String, Sendable, Hashable, CaseIterable {
    /// It waits for an answer, or for what the device says of it.
    case requestingResponse
    /// The device took the answer, and the key is loaded.
    case receivedResponse
    /// A later request's answer took the place of this one's.
    case renewed
    /// Another request was made in its place.
    case retried
    /// Its session ended, or the only recipient that wanted the key was removed.
    case cancelled
    /// There is no key; the error says why.
    case failed
}

/// Why a request may be made again.
public enum ContentKeyRetryReason: String, Sendable, Hashable, CaseIterable {
    /// The answer took too long.
    case timedOut
    /// The lease that the answer would have granted or renewed was over.
    case receivedResponseWithExpiredLease
    /// The key in the answer is no longer valid: its format is outdated, for one.
    case receivedObsoleteContentKey
}

/// Whether what is attached protects the content as its key demands.
public enum ExternalContentProtectionStatus: String, Sendable, Hashable, CaseIterable {
    /// Not known yet.
    case pending
    /// It does.
    case sufficient
    /// It does not, and nothing is shown until it does.
    case insufficient
}
