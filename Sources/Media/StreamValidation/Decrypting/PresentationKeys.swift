import HLSPlaylist
import MediaFormats

/// The keys that a presentation refers to, each once, and the requests for them.
struct PresentationKeys {
    /// The maximum number of keys that are requested.
    static let maximumCount = 256
    /// The maximum number of key IDs of a key that are remembered.
    private static let maximumKeyIDs = 16

    private let source: any ValidationKeySource
    private var keys: [MeasuredKey] = []
    private var positions: [MeasuredKey.ID: Int] = [:]

    init(_ source: any ValidationKeySource, _ presentation: MeasuredPresentation) {
        self.source = source
        for rendition in presentation.renditions {
            for segment in rendition.segments where segment.keys.isEncrypted { add(segment, rendition) }
        }
        guard let file = presentation.multivariant else { return }
        let used = Set(keys.map(\.id))
        for session in presentation.playlist?.sessionKeys ?? [] {
            let id = MeasuredKey.ID(session.key, playlist: file.name, keyID: nil)
            guard source.supports(session.key), !used.contains(id) else { continue }
            add(session.key, id, .init(file.name), isAhead: true)
        }
    }

    /// Returns the tag of a segment whose key is used: that of FairPlay, or the first one that the source supports.
    static func tag(of context: KeyContext, _ source: any ValidationKeySource) -> KeyTag? {
        let supported = context.keys.filter { $0.method != .none && source.supports($0) }
        return supported.first { $0.keyFormat == .fairPlay } ?? supported.first
    }

    private mutating func add(_ segment: MeasuredSegment, _ rendition: MeasuredRendition) {
        guard let tag = Self.tag(of: segment.keys, source) else { return }
        var keyIDs = segment.measurement?.tracks.flatMap(\.keyIDs) ?? []
        if keyIDs.isEmpty { keyIDs = segment.initialization.compactMap { $0.protection?.keyID } }
        // In their order, which decides the order of the keys in reports.
        var ids: [MeasuredKey.ID] = []
        for id in ([nil] + keyIDs).map({ MeasuredKey.ID(tag, playlist: rendition.name, keyID: $0) })
        where !ids.contains(id) { ids.append(id) }
        for id in ids where ids.count == 1 || id.keyID != nil {
            add(tag, id, .init(rendition, segment))
            guard let position = positions[id] else { continue }
            for keyID in id.keyID.map({ [$0] }) ?? keyIDs
            where !keys[position].keyIDs.contains(keyID) && keys[position].keyIDs.count < Self.maximumKeyIDs {
                keys[position].keyIDs.append(keyID)
            }
        }
    }

    private mutating func add(
        _ tag: KeyTag,
        _ id: MeasuredKey.ID,
        _ place: ValidationFinding.Place,
        isAhead: Bool = false
    ) {
        guard positions[id] == nil, keys.count < Self.maximumCount else { return }
        positions[id] = keys.count
        keys.append(MeasuredKey(id: id, tag: tag, place: place, isAhead: isAhead, keyIDs: [], grants: []))
    }

    /// Requests the licenses of all keys.
    ///
    /// - Parameter concurrency: The number of keys that are requested at the same time.
    func requested(concurrency: Int) async -> [MeasuredKey] {
        var result = keys
        await withTaskGroup(of: (Int, [MeasuredKey.Grant]).self) { group in
            var waiting = keys.enumerated().makeIterator()
            func start() {
                guard let (index, key) = waiting.next() else { return }
                group.addTask { [source] in (index, await Self.grants(key, source)) }
            }
            for _ in 0..<max(1, concurrency) { start() }
            while let (index, grants) = await group.next() {
                result[index].grants = grants
                start()
            }
        }
        return result
    }

    private static func grants(_ key: MeasuredKey, _ source: any ValidationKeySource) async -> [MeasuredKey.Grant] {
        var grants: [MeasuredKey.Grant] = []
        // Only a license of a DRM system depends on the device.
        let isDRM = key.tag.keyFormat == .fairPlay
        let classes: [String?] = isDRM && !source.deviceClasses.isEmpty ? source.deviceClasses.map { $0 } : [nil]
        for deviceClass in classes {
            guard !Task.isCancelled else { break }
            var request = ValidationKeyRequest(
                tag: key.tag,
                playlist: key.place.playlist,
                keyIDs: key.keyIDs,
                deviceClass: deviceClass
            )
            var grant = MeasuredKey.Grant(deviceClass: deviceClass, license: await source.license(for: request))
            if isDRM, source.requestsPersistentKeys, deviceClass != nil {
                request.isPersistent = true
                grant.persistent = await source.license(for: request)
            }
            grants.append(grant)
        }
        return grants
    }
}
