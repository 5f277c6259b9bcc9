import Foundation
import HLSPlaylist
import ToolSupport

extension PlaylistLoader {
    /// Loads the playlist on the command line again, with the delivery directives of a load.
    func reload(
        _ location: PlaylistLocation,
        _ load: PlaylistLoad
    ) async throws(PlaylistLocation.Refusal) -> Loaded {
        switch location {
        case .web(let url):
            do {
                return try await fetch(URL(string: load.uri(url.absoluteString)) ?? url, limit)
            } catch {
                throw .init(reason: error.reason)
            }
        case .file, .standardInput:
            do {
                return try await self.load(location)
            } catch {
                throw .init(reason: error.what)
            }
        }
    }
}
