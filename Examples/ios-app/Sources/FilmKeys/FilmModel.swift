import AVFoundation
import ContentKeySession
import ContentKeySessionAVFoundation
import Foundation
import Observation

/// A film with its download, its keys and its playback.
@MainActor @Observable
public final class FilmModel: Identifiable {
    /// The state of a download.
    public enum Download: Hashable, Sendable {
        /// There is none.
        case none
        /// The keys are loaded before the media.
        case loadingKeys
        /// The media is being downloaded; the fraction is 0 to 1.
        case downloading(Double)
        /// The film can be played offline, if its keys allow it.
        case finished
        /// The download failed.
        case failed
        /// The system or the viewer deleted the media.
        case mediaMissing
    }

    /// The film.
    public let film: Film
    /// The state of the download.
    public internal(set) var download = Download.none
    /// The stored keys of the film.
    public internal(set) var history: TitleKeyHistory
    /// The time in seconds since 1970, which the library updates.
    public internal(set) var now: Int64
    /// The player while the film is played.
    public private(set) var player: AVPlayer?
    /// The last problem.
    public internal(set) var problem: Problem?

    /// True while the keys of a download are loaded.
    private(set) var isLoadingKeys = false
    private let service: FilmService
    private let keys: PlatformPersistentKeys
    private let downloads: @MainActor () throws -> AssetDownloads
    private var playback: FilmPlayback?

    /// The identifier of the film.
    nonisolated public var id: String { film.id }

    init(
        _ film: Film,
        _ service: FilmService,
        _ keys: PlatformPersistentKeys,
        _ downloads: @escaping @MainActor () throws -> AssetDownloads
    ) {
        (self.film, self.service, self.keys, self.downloads) = (film, service, keys, downloads)
        history = TitleKeyHistory(title: film.title, entries: [:])
        now = service.now()
    }

    // MARK: Playback

    /// Loads the keys before they are needed. Call it when the film's page opens.
    public func open() async {
        guard download == .none, playback == nil else { return }
        let playback = FilmPlayback(streaming: service)
        self.playback = playback
        await playback.preload(film.keys)
    }

    /// Plays the download if there is one, otherwise from the network. Returns when the playback has ended.
    public func play() async {
        problem = nil
        do {
            if download == .finished, let asset = try downloads().asset(of: film.id) {
                close()
                playback = FilmPlayback(keys.makePlayback())
                playback?.play(asset)
            } else {
                playback = playback ?? FilmPlayback(streaming: service)
                playback?.play(AVURLAsset(url: film.url))
            }
        } catch {
            problem = Problem(error)
        }
        player = playback?.player
        // An app can also observe `status` of the player item.
        let current = playback
        while player != nil, playback === current, !Task.isCancelled {
            if let found = await current?.problem, playback === current {
                close()
                problem = found
            }
            try? await service.clock.sleep(for: .seconds(1))
        }
    }

    /// True while the film is played. False ends the playback.
    public var isPlaying: Bool {
        get { player != nil }
        set { if !newValue { close() } }
    }

    /// Ends the playback and its key session. Call it when the player or the film's page closes.
    public func close() {
        playback?.end()
        (playback, player) = (nil, nil)
    }

    // MARK: Downloads

    /// Downloads the film: first its keys, then its media, which continues while the app is not running.
    public func startDownload() async {
        guard !isLoadingKeys else { return }
        (isLoadingKeys, download, problem) = (true, .loadingKeys, nil)
        defer { isLoadingKeys = false }
        do {
            let asset = AVURLAsset(url: film.url)
            try await downloads().start(asset, name: film.id, title: film.title, keys: film.keys)
        } catch {
            (download, problem) = (.none, Problem(error))
        }
    }

    /// Cancels the download.
    public func cancelDownload() async { try? await downloads().cancel(film.id) }

    /// Deletes the download and its keys, and sends the proof of their deletion to the server.
    public func delete() async {
        close()
        do {
            try await downloads().delete(film.id)
            (download, problem) = (.none, nil)
        } catch {
            problem = Problem(error)
        }
    }

    /// Requests new keys for the download, for example after the old ones have expired.
    public func renew() async {
        problem = nil
        for case .failure(let error) in await keys.refresh(film.keys).values { problem = Problem(error) }
    }

    // MARK: The remaining time

    /// True if new keys could make the download playable.
    public var needsRenewal: Bool {
        download == .finished && history.deciding(at: now)?.remedy(at: now) != .watch
    }

    /// How long the download can still be watched, for viewers; nil if that is not known.
    public func watchTime(locale: Locale = .current) -> String? {
        guard download == .finished, let key = history.deciding(at: now) else { return nil }
        switch key.state(at: now) {
        case .stored, .playing:
            guard let seconds = key.remaining(at: now) else {
                return key.terms == .unknown ? nil : "You can watch without a time limit."
            }
            let units = Duration.UnitsFormatStyle.units(
                allowed: [.days, .hours, .minutes],
                width: .wide,
                maximumUnitCount: 2,
                fractionalPart: .hide(rounded: .down)
            ).locale(locale)
            let time = Duration.seconds(seconds).formatted(units)
            return key.firstPlayed == nil ? "You can start watching for \(time)." : "You can watch for \(time)."
        case .storageExpired, .playbackExpired:
            let mustRent = key.remedy(at: now) == .buyAgain
            return mustRent ? "The time to watch has ended. Rent the film again." : "The time to watch has ended."
        case .refused: return "The device no longer accepts the stored key."
        case .revoked: return "The key was deleted. Download the film again."
        }
    }
}
