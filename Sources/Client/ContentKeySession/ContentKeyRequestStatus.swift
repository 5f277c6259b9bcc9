/// The status of a content key request.
public enum ContentKeyRequestStatus: String, Sendable, Hashable, CaseIterable {
    /// The request waits for a response, or for the device to process the response.
    case requestingResponse
    /// The device accepted the response, and the key is loaded.
    case receivedResponse
    /// The response to a later request replaced the response to this request.
    case renewed
    /// The request was replaced by a retry.
    case retried
    /// The session ended, or the only recipient that needed the key was removed.
    case cancelled
    /// The request failed; the error contains the reason.
    case failed
}

/// The reason for a retry of a request.
public enum ContentKeyRetryReason: String, Sendable, Hashable, CaseIterable {
    /// The response did not arrive in time.
    case timedOut
    /// The lease that the response grants or renews had already expired.
    case receivedResponseWithExpiredLease
    /// The key in the response is no longer valid, for example because its format is outdated.
    case receivedObsoleteContentKey
}

/// The status of external content protection: whether the attached displays protect the content as the key requires.
public enum ExternalContentProtectionStatus: String, Sendable, Hashable, CaseIterable {
    /// The status is not known yet.
    case pending
    /// The protection is sufficient.
    case sufficient
    /// The protection is insufficient, and nothing is displayed until it becomes sufficient.
    case insufficient
}
