import Dispatch
import StreamPlayer

extension AssetDownload {
    /// Returns the description of the existing bundle, or creates a new bundle.
    func plan() async throws(DownloadError) -> (description: BundleDescription, isResumed: Bool) {
        if let known = try existingDescription() {
            guard known.recordingDuration == nil || known.state != .downloading else {
                throw DownloadError(
                    .otherBundle,
                    folder.path,
                    "the folder contains an unfinished recording of a live stream: resume the recording"
                )
            }
            return (known, true)
        }
        try checkFolder()
        let plan = try await loadPlan()
        let description = BundleDescription(
            summary: newSummary(duration: plan.duration, keys: plan.keyIdentifiers),
            selection: request.selection.description,
            playlists: plan.playlists.map(\.playlist),
            resources: plan.resources
        )
        try Self.stored { () throws(AssetBundleError) in
            try folder.create(folder: "media")
            let folders = Set(
                plan.resources.compactMap { $0.file.split(separator: "/").dropFirst().first.map(String.init) }
            )
            for name in folders.sorted() { try folder.create(folder: "media/\(name)") }
            try folder.synchronize(folder: "media")
            for (playlist, bytes) in plan.playlists { try folder.write(bytes, to: playlist.file) }
            // Written last, because this file makes the folder a bundle.
            try folder.write(description)
        }
        return (description, false)
    }

    /// Returns the description of the bundle in the folder; nil if there is none.
    ///
    /// - Throws: ``DownloadError`` `other-bundle` for a bundle of another download.
    func existingDescription() throws(DownloadError) -> BundleDescription? {
        guard folder.has(AssetBundle.descriptionFile) else { return nil }
        let bundle = try Self.stored { () throws(AssetBundleError) in try AssetBundle.open(folder.path) }
        let known = bundle.description
        // A URL that differs only in its query, such as a new signature, is the same, unless its playlists differ.
        let isSame = URLAddress.withoutQuery(known.originalURL) == URLAddress.withoutQuery(request.url)
        guard isSame, known.selection == request.selection.description else {
            throw DownloadError(
                .otherBundle,
                folder.path,
                "the folder contains \(known.title), downloaded from another URL or with another selection (\(known.selection)): use another folder"
            )
        }
        return known
    }

    /// Returns the summary of a new bundle.
    func newSummary(duration: Double, keys: [String]) -> BundleSummary {
        let date = clock.date()
        let name = request.title ?? folder.path.split(separator: "/").last.map(String.init) ?? "film"
        return BundleSummary(
            title: String(name.prefix(200)),
            originalURL: request.url,
            state: .downloading,
            created: date,
            changed: date,
            duration: duration,
            byteCount: 0,
            keys: keys
        )
    }

    /// Throws an error if the folder contains other files.
    func checkFolder() throws(DownloadError) {
        let entries = try Self.stored { () throws(AssetBundleError) in try folder.entries() ?? [] }
        let foreign = entries.first { name in
            let own = name.hasSuffix(".new") ? String(name.dropLast(4)) : name
            return ![AssetBundle.journalFile, AssetBundle.descriptionFile, "media"].contains(own)
                && !own.hasSuffix(".m3u8")
        }
        if let foreign {
            throw DownloadError(
                .otherBundle,
                folder.path,
                "the folder contains \(foreign) and is not a bundle: use another folder"
            )
        }
    }

    /// Verifies the files by reading them. Returns those that are complete, and those that were complete and are
    /// damaged.
    func complete(
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
            emit(.repairing(file: resource.file, problem))
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
    ) async -> AssetBundleError? {
        await withCheckedContinuation { continuation in
            // Reading blocks, which must not happen on the threads of tasks.
            DispatchQueue.global().async {
                do throws(AssetBundleError) {
                    let content = try folder.content(of: file)
                    continuation.resume(returning: content == known ? nil : AssetBundle.damaged(file))
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
    }
}
