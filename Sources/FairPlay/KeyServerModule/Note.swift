public import FPSMessages

/// Something worth recording about an SPC that was answered all the same.
public enum Note: Sendable, Hashable, CustomStringConvertible {
    /// The device supports a newer version of FPS than this server (Table 2-9).
    case newerProtocolVersion(UInt32)
    /// The application certificate has expired. Apple does not enforce the date, and neither does the module.
    case certificateExpired(bundle: String)
    /// Something odd in the payload.
    case oddity(SPCRequest.Oddity)
    /// The tag return request names a block that the SPC does not hold; nothing was returned for it.
    case requestedTagAbsent(TLLVTag)
    /// The tag return request names a block twice; it was returned once.
    case requestedTagRepeated(TLLVTag)
    /// A persistable key was asked for, and an online key was given.
    case persistenceWithheld(reason: String)
    /// The device cannot enforce dual expiry; it got a limited key, as the policy allows.
    case persistenceFallback

    /// In words.
    public var description: String {
        switch self {
        case .newerProtocolVersion(let version):
            "the device supports version \(version) of FPS, which is newer than this server's"
        case .certificateExpired(let bundle): "the application certificate of bundle \(bundle) has expired"
        case .oddity(let oddity): "\(oddity)"
        case .requestedTagAbsent(let tag): "the tag return request names \(tag), which the SPC does not hold"
        case .requestedTagRepeated(let tag): "the tag return request names \(tag) twice"
        case .persistenceWithheld(let reason): "an online key instead of a persistable one: \(reason)"
        case .persistenceFallback: "a limited persistent key instead of dual expiry, which the device cannot enforce"
        }
    }
}
