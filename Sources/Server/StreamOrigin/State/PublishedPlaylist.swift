package import HLSPlaylist
package import NIOCore
import Synchronization

/// One version of a playlist as it is sent: whole or as a delta update, plain or compressed. Each form is created when
/// it is requested first, and shared by all requests.
package final class PublishedPlaylist: Sendable {
    /// A form of the playlist.
    package struct Body: Sendable {
        /// The bytes.
        package let bytes: ByteBuffer
        /// The strong entity tag, with its quotation marks.
        package let entityTag: String
        /// True if the bytes are compressed with gzip.
        package let isCompressed: Bool
    }

    private struct Form: Hashable {
        let skip: DeliveryDirectives.Skip?
        let isCompressed: Bool
    }

    /// The path in the served folder.
    package let path: String
    /// The parsed Media Playlist; nil for a Multivariant Playlist.
    package let media: MediaPlaylist?
    /// The facts for blocking requests; nil for a Multivariant Playlist.
    package let index: MediaIndex?
    /// The files of the playlist.
    package let files: PlaylistFiles
    private let text: [UInt8]
    private let dateRanges: DeltaUpdates.DateRanges
    private let bodies = Mutex<[Form: Body]>([:])

    /// Creates a version.
    ///
    /// - Parameters:
    ///   - text: The text that was parsed to the playlist.
    ///   - dateRanges: The Date Ranges that a delta update may leave out.
    package init(path: String, playlist: Playlist, text: [UInt8], dateRanges: DeltaUpdates.DateRanges = .init()) {
        self.path = path
        self.text = text
        self.dateRanges = dateRanges
        if case .media(let playlist) = playlist {
            media = playlist
            index = MediaIndex(playlist)
            files = PlaylistFiles(playlist, at: path)
        } else {
            (media, index) = (nil, nil)
            files = PlaylistFiles()
        }
    }

    /// Returns a form of the playlist: the whole playlist if no delta update is possible.
    package func body(skip: DeliveryDirectives.Skip? = nil, isCompressed: Bool = false) -> Body {
        bodies.withLock { bodies in
            let form = Form(skip: skip, isCompressed: isCompressed)
            if let body = bodies[form] { return body }
            let body = makeBody(form)
            bodies[form] = body
            return body
        }
    }

    private func makeBody(_ form: Form) -> Body {
        var bytes = text
        if let skip = form.skip, let media {
            let skipping = skip == .segmentsAndDateRanges ? dateRanges : nil
            bytes = DeltaUpdates.update(of: media, text: text, skipping: skipping) ?? text
        }
        let tag = EntityTag.hash(bytes)
        if form.isCompressed, let compressed = Gzip.compress(bytes) {
            return Body(bytes: ByteBuffer(bytes: compressed), entityTag: "\"\(tag)-gzip\"", isCompressed: true)
        }
        return Body(bytes: ByteBuffer(bytes: bytes), entityTag: "\"\(tag)\"", isCompressed: false)
    }
}

/// Entity tags (RFC 9110, section 8.8.3).
enum EntityTag {
    /// Returns a tag of bytes: their number and their FNV-1a hash of 64 bits. It distinguishes versions of a file that
    /// one writer makes; it does not protect against forgery.
    static func hash(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return String(bytes.count, radix: 16) + "-" + String(hash, radix: 16)
    }
}
