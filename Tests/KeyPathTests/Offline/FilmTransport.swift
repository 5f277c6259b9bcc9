import StreamPlayer
import Synchronization

@testable import OfflineAssets

/// A transport that serves a movie's files for downloads, with a network that can be cut.
final class FilmTransport: DownloadTransport {
    private let film: Film
    private let state = Mutex((isCut: false, asked: [String]()))
    static let address = "https://film.test/"

    init(_ film: Film) { self.film = film }

    func cut() { state.withLock { $0.isCut = true } }
    /// The paths that were requested.
    var asked: [String] { state.withLock { $0.asked } }

    func open(_ request: DownloadRequest) async throws(MediaLoadError) -> DownloadResponse {
        let path = String(request.url.dropFirst(Self.address.count))
        let isCut = state.withLock { state in
            state.asked.append(path)
            return state.isCut
        }
        guard !isCut else { throw MediaLoadError(.noConnection, request.url) }
        guard let bytes = film.files[path] else { throw MediaLoadError(.notFound, request.url, status: 404) }
        let rest = Mutex<[UInt8]?>(bytes)
        return DownloadResponse(
            status: 200,
            url: request.url,
            validators: Validators(etag: "\"1\""),
            length: UInt64(bytes.count),
            body: { () async throws(MediaLoadError) in
                rest.withLock { rest in
                    defer { rest = nil }
                    return rest
                }
            }
        )
    }
}
