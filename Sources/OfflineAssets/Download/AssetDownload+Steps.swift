import Dispatch
import HLSPlaylist
import StreamPlayer

extension AssetDownload {
    /// The whole of it.
    func download() async throws(DownloadError) -> AssetBundle {
        let lock: FolderLock
        do throws(BundleError) {
            try folder.create()
        } catch {
            throw DownloadError(.storage, folder.path, error.reason)
        }
        lock = try FolderLock(folder)
        defer { withExtendedLifetime(lock) {} }
        var (description, isResumed) = try await plan()
        let journal = try JournalFile(in: folder, resources: description.resources, faults: faults)
        let bundle = AssetBundle(folder: folder.path, description: description)
        let media = try Self.stored { () throws(BundleError) in try bundle.mediaPlaylists() }
        let (there, broken) = try await complete(description, journal)
        tell(
            .planned(
                DownloadPlanFacts(
                    isResumed: isResumed,
                    playlists: description.playlists,
                    files: description.resources.count,
                    completeFiles: there.count,
                    duration: description.summary.duration
                )
            )
        )
        try await acquireKeys(media, description)
        let tally = DownloadTally(
            BundleTimeline(media.map(\.media), resources: description.resources.map(\.file)),
            files: description.resources.count,
            now: clock.now
        ) { self.tell(.progress($0)) }
        for (file, content) in there { tally.completed(file, length: content.length, isShown: false) }
        if !broken.isEmpty, description.state != .downloading {
            // From here on it is not what it says.
            description.summary.state = .downloading
            try write(&description)
        }
        let missing = Set(description.resources.indices).subtracting(there.keys)
        try await fetchAll(
            DownloadFiles(
                resources: description.resources,
                missing: missing,
                expected: broken,
                journal: journal,
                folder: folder,
                transport: transport,
                faults: faults,
                tally: tally
            )
        )
        return try await finish(description, journal)
    }

    /// The bundle that is there, or else a new one.
    private func plan() async throws(DownloadError) -> (description: BundleDescription, isResumed: Bool) {
        if folder.has(AssetBundle.descriptionFile) {
            let bundle = try Self.stored { () throws(BundleError) in try AssetBundle.open(folder.path) }
            let known = bundle.description
            guard known.originalURL == request.url, known.selection == request.selection.description else {
                throw DownloadError(
                    .otherBundle,
                    folder.path,
                    "it holds \(known.title), begun with another URL or another choice (\(known.selection)): take another folder"
                )
            }
            return (known, true)
        }
        try checkFolder()
        let loader = PresentationLoader(
            transport: transport,
            settings: settings,
            sleep: clock.sleep,
            chance: clock.chance
        )
        let presentation = try await loader.load(request.url, request.selection)
        let plan = try BundlePlan(presentation, limits: settings.limits)
        let date = clock.date()
        var known: Set<String> = []
        let summary = BundleSummary(
            title: String(
                (request.title ?? folder.path.split(separator: "/").last.map(String.init) ?? "film").prefix(200)
            ),
            originalURL: request.url,
            state: .downloading,
            created: date,
            changed: date,
            duration: plan.duration,
            byteCount: 0,
            keys: plan.keys.joined().map(\.identifier).filter { known.insert($0).inserted }
        )
        let description = BundleDescription(
            summary: summary,
            selection: request.selection.description,
            playlists: plan.playlists.map(\.playlist),
            resources: plan.resources
        )
        try Self.stored { () throws(BundleError) in
            try folder.create(folder: "media")
            let folders = Set(
                plan.resources.compactMap { $0.file.split(separator: "/").dropFirst().first.map(String.init) }
            )
            for name in folders.sorted() { try folder.create(folder: "media/\(name)") }
            try folder.synchronize(folder: "media")
            for (playlist, bytes) in plan.playlists { try folder.write(bytes, to: playlist.file) }
            // Last: with it the bundle begins to be one.
            try folder.write(description)
        }
        return (description, false)
    }

    /// A folder with other things in it is not written to.
    private func checkFolder() throws(DownloadError) {
        let entries = try Self.stored { () throws(BundleError) in try folder.entries() ?? [] }
        let foreign = entries.first { name in
            let own = name.hasSuffix(".new") ? String(name.dropLast(4)) : name
            return ![AssetBundle.journalFile, AssetBundle.descriptionFile, "media"].contains(own)
                && !own.hasSuffix(".m3u8")
        }
        if let foreign {
            throw DownloadError(.otherBundle, folder.path, "it holds \(foreign), and is no bundle: take another folder")
        }
    }

    /// Which files are complete and right, by reading them; and which were and are not.
    private func complete(
        _ description: BundleDescription,
        _ journal: JournalFile
    ) async throws(DownloadError) -> (there: [Int: BundleResource.Content], broken: [Int: BundleResource.Content]) {
        var there: [Int: BundleResource.Content] = [:]
        var broken: [Int: BundleResource.Content] = [:]
        for (index, resource) in description.resources.enumerated() {
            var known = resource.content
            if case .done(let content, _)? = journal.entry(of: index) { known = content }
            guard let known else { continue }
            try checkCancellation()
            let problem = await Self.problem(with: resource.file, known, folder)
            guard let problem else {
                there[index] = known
                continue
            }
            guard problem.code != .storage else { throw DownloadError(.storage, problem.place, problem.reason) }
            broken[index] = known
            tell(.repairing(file: resource.file, problem))
            do throws(DiskError) {
                try await journal.commit(.drop(index))
            } catch {
                throw error.downloadError
            }
        }
        return (there, broken)
    }

    private static func problem(
        with file: String,
        _ known: BundleResource.Content,
        _ folder: BundleFolder
    ) async -> BundleError? {
        await withCheckedContinuation { continuation in
            // Reading blocks, which the threads of tasks should not.
            DispatchQueue.global().async {
                do throws(BundleError) {
                    let content = try folder.content(of: file)
                    continuation.resume(returning: content == known ? nil : AssetBundle.damaged(file))
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
    }

    private func acquireKeys(
        _ media: [(playlist: BundlePlaylist, media: MediaPlaylist)],
        _ description: BundleDescription
    ) async throws(DownloadError) {
        guard let keys, !description.keys.isEmpty else { return }
        var groups = KeyGroups()
        for (playlist, media) in media {
            for segment in (try? media.resolvedSegments()).map(Array.init) ?? [] where !segment.segment.isGap {
                if let section = segment.initialization { groups.add(section.keys, base: playlist.url) }
                groups.add(segment.keys, base: playlist.url)
            }
        }
        tell(.acquiringKeys(groups.groups.count))
        do throws(DownloadKeysError) {
            try await keys.acquire(groups.groups, title: description.title)
        } catch {
            throw DownloadError(.keys, error.place, "\(error.reason) (\(error.code))")
        }
    }

    /// All files are on the disk: writes down what they hold, and has it proven that they play.
    private func finish(
        _ known: BundleDescription,
        _ journal: JournalFile
    ) async throws(DownloadError) -> AssetBundle {
        var description = known
        for index in description.resources.indices {
            guard case .done(let content, _)? = journal.entry(of: index) else {
                // Complete by an earlier run, whose journal was lost.
                guard description.resources[index].content != nil else {
                    throw DownloadError(.damaged, description.resources[index].file, "it is not in the journal")
                }
                continue
            }
            guard folder.length(of: description.resources[index].file) == content.length else {
                throw DownloadError(
                    .damaged,
                    description.resources[index].file,
                    "it has another length than was written"
                )
            }
            description.resources[index].content = content
        }
        description.summary.byteCount = description.resources.reduce(0) { $0 + ($1.content?.length ?? 0) }
        if description.state == .downloading {
            description.summary.state = .unproven
            try write(&description)
        }
        try checkCancellation()
        let bundle = AssetBundle(folder: folder.path, description: description)
        if let keys {
            tell(.proving)
            do throws(DownloadKeysError) {
                try await keys.prove(bundle)
            } catch {
                throw DownloadError(.keys, error.place, "\(error.reason) (\(error.code))")
            }
        } else if description.keys.isEmpty {
            tell(.proving)
            do throws(PlayerError) {
                try await BundleProof.play(bundle, keys: PlayerKeySystems())
            } catch {
                throw DownloadError(.damaged, folder.path, "all files are there, and it does not play: \(error)")
            }
        } else {
            return bundle
        }
        if description.state != .complete {
            description.summary.state = .complete
            try write(&description)
        }
        return AssetBundle(folder: folder.path, description: description)
    }

    private func write(_ description: inout BundleDescription) throws(DownloadError) {
        description.summary.changed = clock.date()
        let document = description
        try Self.stored { () throws(BundleError) in try folder.write(document) }
    }

    /// What goes wrong with a bundle's own files, as an error of the download.
    private static func stored<Value>(_ body: () throws(BundleError) -> Value) throws(DownloadError) -> Value {
        do throws(BundleError) {
            return try body()
        } catch {
            switch error.code {
            case .storage: throw DownloadError(.storage, error.place, error.reason)
            case .notABundle, .malformed, .unknownVersion, .incomplete, .missing, .damaged:
                throw DownloadError(.damaged, error.place, error.reason)
            }
        }
    }
}
