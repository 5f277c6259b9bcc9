import MediaDecryption

/// The recognition of media segments by their first bytes. A server may respond to a request for a segment with a page
/// and status 200; a downloader must not store it as media.
package enum SegmentRecognition {
    /// The number of bytes at the start of a resource that are sufficient.
    package static let sufficientCount = SegmentContent.sufficientCount

    /// Returns a description of a resource that is neither a media segment nor an init segment, such as `an HTML page` or
    /// `an empty file`; nil for media.
    ///
    /// - Parameters:
    ///   - beginning: The resource, or at least its first ``sufficientCount`` bytes.
    ///   - isEncrypted: True if the resource is encrypted as a whole (METHOD=AES-128).
    package static func mismatch(_ beginning: [UInt8], isEncrypted: Bool) -> String? {
        SegmentContent.mismatch(beginning, isEncrypted: isEncrypted)
    }
}
