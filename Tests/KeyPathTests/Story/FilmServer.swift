import SimulatedClocks
import StreamPlayer
import Synchronization
import VirtualDevice

/// A web server with a movie, and a network with limited bandwidth that can be interrupted.
final class FilmServer: MediaLoader {
    private let film: Film
    private let time: SimulatedTime
    /// The bandwidth, in bits per second.
    private let rate: Double
    private let outage: Range<Duration>

    init(_ film: Film, _ time: SimulatedTime, rate: Double, outage: Range<Duration>) {
        (self.film, self.time, self.rate, self.outage) = (film, time, rate, outage)
    }

    func load(_ resource: MediaResource) async throws(MediaLoadError) -> LoadedMedia {
        let path = resource.url.dropFirst("https://film.test/".count)
        guard !outage.contains(time.now) else { throw MediaLoadError(.noConnection, resource.url) }
        guard let bytes = film.files[String(path)] else { throw MediaLoadError(.notFound, resource.url, status: 404) }
        guard (try? await time.sleep(until: time.now + .seconds(Double(bytes.count) * 8 / rate))) != nil else {
            throw MediaLoadError(.cancelled, resource.url)
        }
        return LoadedMedia(bytes: bytes, url: resource.url)
    }
}

/// An output that stores the samples' bytes of each segment, without the boxes around them.
final class FilmOutput: MediaOutput {
    let supportsInitializationChanges = true
    private let all = Mutex<[(track: DecryptedPiece.TrackKind, samples: [UInt8])]>([])

    func samples(_ track: DecryptedPiece.TrackKind) -> [[UInt8]] {
        all.withLock { $0.filter { $0.track == track }.map(\.samples) }
    }

    func write(_ piece: DecryptedPiece) async throws {
        guard !piece.isInitialization else { return }
        all.withLock { $0.append((piece.track, Self.samples(piece.bytes))) }
    }

    func finish() async throws {}

    /// Returns the content of the mdat boxes.
    static func samples(_ file: [UInt8]) -> [UInt8] {
        var (samples, offset): ([UInt8], Int) = ([], 0)
        while offset + 8 <= file.count {
            let size = file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            guard size >= 8, offset + size <= file.count else { break }
            if file[offset + 4..<offset + 8].elementsEqual("mdat".utf8) { samples += file[offset + 8..<offset + size] }
            offset += size
        }
        return samples
    }
}
