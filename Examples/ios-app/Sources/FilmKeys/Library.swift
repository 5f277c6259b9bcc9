import AVFoundation
import ContentKeySession
import ContentKeySessionAVFoundation
import Foundation
import Observation

/// The films of the app. Create one at every launch, also when the system launches the app in the background for its
/// downloads, and call ``run()``.
@MainActor @Observable
public final class Library {
    /// The films.
    public let films: [FilmModel]
    /// The service.
    public let service: FilmService
    /// True if protected films can be played: false in the Simulator.
    public let isFairPlayAvailable = PlatformContentKeySession().isAvailable

    /// The events of downloads since the launch, without names, for the device checks.
    public private(set) var downloadEvents: [String] = []

    private let keys: PlatformPersistentKeys
    private let downloads: Downloads

    /// The downloads, which cannot be opened before the device was unlocked once.
    @MainActor private final class Downloads {
        private let make: () throws -> AssetDownloads
        private var opened: AssetDownloads?
        init(_ make: @escaping () throws -> AssetDownloads) { self.make = make }

        func open() throws -> AssetDownloads {
            if let opened { return opened }
            let made = try make()
            opened = made
            return made
        }
    }

    /// Creates the library of a service.
    public init(films: [Film], service: FilmService) {
        self.service = service
        let keys = service.persistentKeys(of: films)
        let downloads = Downloads {
            try AssetDownloads(
                identifier: service.downloadSession,
                records: service.folder.appending(path: "downloads.plist"),
                keys: keys,
                settings: service.downloads
            )
        }
        (self.keys, self.downloads) = (keys, downloads)
        self.films = films.map { film in FilmModel(film, service, keys) { try downloads.open() } }
    }

    /// Passes on the completion handler that the app's delegate receives when the system has launched the app for finished
    /// downloads.
    public nonisolated static func handleEvents(
        forBackgroundURLSession identifier: String,
        completionHandler: @escaping @MainActor @Sendable () -> Void
    ) { AssetDownloads.handleEvents(forBackgroundURLSession: identifier, completionHandler: completionHandler) }

    /// Returns the model of a film.
    public func film(_ id: String) -> FilmModel? { films.first { $0.id == id } }

    /// Refreshes keys before they end, and follows the downloads and the keys, until the task is cancelled.
    public func run() async {
        while (try? downloads.open()) == nil, !Task.isCancelled { try? await service.clock.sleep(for: .seconds(1)) }
        guard let downloads = try? downloads.open() else { return }
        let (keys, events) = (keys, downloads.events)
        await withDiscardingTaskGroup { group in
            group.addTask { await keys.run() }
            group.addTask { for await event in events { await self.handle(event) } }
            group.addTask { for await histories in await keys.store.changes { await self.follow(histories) } }
            group.addTask {
                // The system deletes downloads without an event, and the remaining time changes.
                while !Task.isCancelled {
                    await self.update(from: downloads)
                    try? await self.service.clock.sleep(for: .seconds(1))
                }
            }
        }
    }

    private func handle(_ event: AssetDownloads.Event) {
        if case .didProgress(let name, let fraction) = event {
            // The state may have changed since the event.
            if let film = film(name), case .downloading = film.download { film.download = .downloading(fraction) }
            return
        }
        downloadEvents.append("\(event)".prefix { $0 != "(" }.description)
        switch event {
        case .didFinish(let name):
            // The system deletes less important downloads first when it needs space.
            guard let asset = try? downloads.open().asset(of: name) else { return }
            DownloadStoragePolicy(isImportant: true).set(for: asset.url)
        case .didFail(let name, let error): film(name)?.problem = Problem(error)
        case .didNotRecord(let name, let error), .didNotInvalidateKey(let name, let error):
            film(name)?.problem = Problem(error)
        case .didCancel, .willDownload, .didProgress, .didFinishBackgroundEvents: break
        }
    }

    private func follow(_ histories: [String: KeyHistoryEntry]) {
        for film in films { film.history.entries = histories.filter { film.film.keys.contains($0.key) } }
    }

    private func update(from downloads: AssetDownloads) async {
        let states = await downloads.downloads
        let now = service.now()
        for film in films {
            if film.now / 60 != now / 60 { film.now = now }
            guard !film.isLoadingKeys else { continue }
            let download: FilmModel.Download =
                switch states[film.id]?.state {
                case nil: .none
                case .downloading(let fraction): .downloading(fraction)
                case .finished: .finished
                case .failed: .failed
                case .mediaMissing: .mediaMissing
                }
            // Views are updated only if something has changed.
            if film.download != download { film.download = download }
        }
    }
}
