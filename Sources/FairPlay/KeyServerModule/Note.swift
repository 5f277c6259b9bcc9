public import FPSMessages

/// A remark for the log about an SPC that got a CKC.
public enum Note: Sendable, Hashable, CustomStringConvertible {
    /// The device supports a newer version of FPS than this server (Table 2-9).
    case newerProtocolVersion(UInt32)
    /// The application certificate has expired. Apple does not enforce the expiration date, and neither does the
    /// module.
    case certificateExpired(bundle: String)
    /// The payload has an irregularity.
    case anomaly(SPCRequest.Anomaly)
    /// The tag return request contains a tag that the SPC does not contain, so no block was returned for it.
    case requestedTagAbsent(TLLVTag)
    /// The tag return request contains a tag more than once; its block was returned once.
    case requestedTagRepeated(TLLVTag)
    /// The app requested a persistent key, and an online key was issued.
    case persistenceWithheld(reason: String)
    /// The device cannot enforce dual expiry, or playback state 2 excludes it, so the device got a persistent key with a
    /// single expiry, as the policy allows.
    case persistenceFallback

    /// The remark as text.
    public var description: String {
        switch self {
        case .newerProtocolVersion(let version):
            "the device also supports version \(version) of FPS"
        case .certificateExpired(let bundle): "the application certificate of bundle \(bundle) has expired"
        case .anomaly(let anomaly): "\(anomaly)"
        case .requestedTagAbsent(let tag): "the tag return request contains \(tag), which is not in the SPC"
        case .requestedTagRepeated(let tag): "the tag return request contains \(tag) more than once"
        case .persistenceWithheld(let reason): "an online key was issued instead of a persistent key: \(reason)"
        case .persistenceFallback:
            "a persistent key with a single expiry was issued, because the device cannot enforce dual expiry, or is "
                + "already playing"
        }
    }
}
