import StreamPlayer
import Synchronization

/// The media and the events of a playback.
final class PlaybackObservations: MediaOutput {
    let supportsInitializationChanges = true
    private let media = Mutex<[UInt8]>([])
    private let omitted = Mutex<[DecryptedPiece.TrackKind]>([])
    private let retries = Mutex(0)

    var playedMedia: [UInt8] { media.withLock { $0 } }
    var omittedTracks: [DecryptedPiece.TrackKind] { omitted.withLock { $0 } }
    var retryCount: Int { retries.withLock { $0 } }

    func write(_ piece: DecryptedPiece) async throws {
        if piece.track == .main { media.withLock { $0 += piece.bytes } }
    }

    func finish() async throws {}

    func record(_ event: PlayerEvent) {
        switch event {
        case .retrying: retries.withLock { $0 += 1 }
        case .omitted(let track, _): omitted.withLock { $0.append(track) }
        default: break
        }
    }
}
