import Foundation
import Locking

extension DownloadService {
    private var system: AppleSystem? { state.withLock { $0.system.object } }

    func record(_ id: UInt64) -> DownloadRecord? { state.withLock { $0.records[id] } }

    func update(_ id: UInt64, _ change: (inout DownloadRecord) -> Void) {
        state.withLock { state in
            guard var record = state.records[id] else { return }
            change(&record)
            state.records[id] = record
        }
    }

    // MARK: Tasks

    /// Adds a task, suspended (rule 102).
    func add(_ make: (UInt64, Int) -> DownloadRecord) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            let record = make(state.lastID, Int(state.lastID))
            state.records[record.id] = record
            return record.id
        }
    }

    /// Starts or continues a task.
    func resume(_ id: UInt64) {
        state.withLock { state in
            guard var record = state.records[id], record.phase == .suspended else { return }
            record.phase = .running
            // Rule 116: a task that is resumed in the background becomes discretionary.
            if state.app != .foreground { record.isDiscretionary = true }
            state.records[id] = record
        }
        proceed(id)
    }

    func suspend(_ id: UInt64) {
        let timer = state.withLock { state in
            guard var record = state.records[id], record.phase == .running else { return UInt64?.none }
            record.phase = .suspended
            defer { (record.timer, state.records[id]) = (nil, record) }
            return record.timer
        }
        if let timer { system?.clock.cancel(timer) }
        update(id) { $0.timer = nil }
    }

    /// Rule 114: the task ends with an error, and its partial package stays.
    func cancel(_ id: UInt64) { end(id, MediaErrors.cancelled) }

    /// The user cancels a task in the Live Activity (rule 114).
    package func cancelFromLiveActivity(_ taskDescription: String) {
        let ids = state.withLock { state in
            state.records.values.filter { $0.description == taskDescription && $0.phase != .ended }.map(\.id)
        }
        for id in ids { end(id, NSError(domain: NSCocoaErrorDomain, code: 3072)) }
    }

    // MARK: Progress

    private func begin(_ id: UInt64) {
        guard let system, let record = record(id) else { return }
        // Rule 115.
        if system.switches.isSimulator { return end(id, NSError(domain: NSURLErrorDomain, code: NSURLErrorUnknown)) }
        do throws(NSError) {
            let resolved = try system.media.resolve(currentURL(of: record))
            let content = resolved.content
            let qualified = content.variants.filter(record.qualifies)
            let variant = (qualified.isEmpty ? content.variants : qualified).max { $0.peakBitRate < $1.peakBitRate }
            let path = path(of: record) ?? newPath(record)
            update(id) { ($0.path, $0.variant, $0.content) = (path, variant, content) }
            if DownloadPackage(at: location(path)) == nil {
                let source = record.url.isFileURL ? resolved.package?.source ?? record.url : record.url
                DownloadPackage(source: source, content: content).write(to: location(path))
            }
            // Rules 105 and 106: the location first.
            update(id) { $0.isLocationTold = true }
            tell(id, .willDownload)
            tell(id, .variants(variant.map { [$0] } ?? []))
            // Rule 117: the automatic selection if the app makes none.
            let selections = record.selections.isEmpty ? [content.automaticSelection] : record.selections
            update(id) { ($0.selections, $0.startedAt) = (selections, system.clock.now) }
            for selection in selections { tell(id, .resolved(selection)) }
            requestKeys(id)
            proceed(id)
        } catch {
            end(id, error)
        }
    }

    /// Rule 117: a task on the URL of a package adds to that package.
    private func path(of record: DownloadRecord) -> String? {
        record.url.isFileURL ? record.path ?? path(of: record.url) : nil
    }

    private func newPath(_ record: DownloadRecord) -> String {
        let name = record.title.filter { $0.isLetter || $0.isNumber }
        let suffix = UUID().uuidString.prefix(8)
        return "Library/com.apple.UserManagedAssets.KW/\(name)_\(suffix).movpkg"
    }

    /// Rule 103: while the app runs, the task's asset asks its key session like a playing asset. While it does not, the
    /// media is loaded without its keys.
    private func requestKeys(_ id: UInt64) {
        guard let system, let record = record(id), let content = record.content,
            let asset = state.withLock({ state in
                state.app == .foreground || state.app == .background ? state.sessions[record.session] : nil
            })?.task(id)?.urlAsset
        else { return }
        var needs = content.keys(record.variant, record.selections).map { (asset, $0) }
        if record.includesInterstitials {
            for interstitial in content.interstitials {
                guard let played = try? system.media.resolve(interstitial.url).content else { continue }
                let other = AppleSystem.$current.withValue(system) { AVURLAsset(url: interstitial.url) }
                needs += played.keys(played.variants.last, [played.automaticSelection]).map { (other, $0) }
            }
        }
        var uris: Set<String> = []
        needs = needs.filter { uris.insert($0.1.uri).inserted }
        update(id) { $0.pendingKeys = needs.count }
        for (asker, key) in needs {
            let source = AssetKeySource(asset: asker, owner: asset)
            source.need(key, route: .local, isPlayback: false) { [weak self] result in
                guard let self, self.record(id)?.phase != .ended else { return }
                switch result {
                case .failure(let error): end(id, error)
                case .success(let loaded):
                    if case .network = source.source(of: key), case .clear(let data) = loaded {
                        changePackage(id) { $0.keys[key.uri] = data }
                    }
                    update(id) { $0.pendingKeys = max(0, $0.pendingKeys - 1) }
                    proceed(id)
                }
            }
        }
    }

    func proceedAll() { for id in unfinished { proceed(id) } }

    /// Loads the next quarter, if the task may proceed.
    private func proceed(_ id: UInt64) {
        guard let system else { return }
        let network = system.media.network
        enum Step { case wait, begin, load, finish }
        let step: Step = state.withLock { state in
            // Rule 116. A background session waits until it may use the network.
            guard let record = state.records[id], record.phase == .running, record.allows(network),
                !record.isDiscretionary || state.allowsDiscretionary
            else { return .wait }
            guard record.hasBegun else {
                state.records[id]?.hasBegun = true
                return .begin
            }
            return record.fraction >= 1 && record.pendingKeys == 0 ? .finish : .load
        }
        switch step {
        case .wait: return cancelTimer(id, system)
        case .begin: return begin(id)
        case .finish: return finish(id)
        case .load: break
        }
        let duration = stepDuration
        state.withLock { state in
            guard var record = state.records[id], record.timer == nil, record.fraction < 1, record.path != nil else {
                return
            }
            record.timer = system.clock.schedule(after: duration) { [weak self] in self?.step(id) }
            state.records[id] = record
        }
    }

    private func cancelTimer(_ id: UInt64, _ system: AppleSystem) {
        guard let timer = record(id)?.timer else { return }
        system.clock.cancel(timer)
        update(id) { $0.timer = nil }
    }

    private func step(_ id: UInt64) {
        guard let record = record(id), record.phase == .running else { return }
        let fraction = min(1, record.fraction + 0.25)
        update(id) { ($0.timer, $0.fraction) = (nil, fraction) }
        let total = record.content?.duration ?? 0
        tell(id, .loaded(seconds: total * fraction, total: total))
        proceed(id)
    }

    private func finish(_ id: UInt64) {
        guard let record = record(id), record.phase == .running else { return }
        changePackage(id) { package in
            package.isComplete = true
            if let variant = record.variant, !package.variants.contains(variant) { package.variants.append(variant) }
            for selection in record.selections where !package.selections.contains(selection) {
                package.selections.append(selection)
            }
        }
        // Rule 106: before didComplete.
        tell(id, .finishedLoading)
        end(id, nil)
    }

    /// Ends a task; didComplete is the last event, also after success (rule 106).
    func end(_ id: UInt64, _ error: NSError?) {
        guard let system else { return }
        cancelTimer(id, system)
        let ends = state.withLock { state in
            guard var record = state.records[id], record.phase != .ended else { return false }
            (record.phase, record.error) = (.ended, error)
            state.records[id] = record
            return true
        }
        guard ends else { return }
        tell(id, .summary(error))
        tell(id, .completed(error))
    }

    private func changePackage(_ id: UInt64, _ change: (inout DownloadPackage) -> Void) {
        guard let path = record(id)?.path, var package = DownloadPackage(at: location(path)) else { return }
        change(&package)
        package.write(to: location(path))
    }
}
