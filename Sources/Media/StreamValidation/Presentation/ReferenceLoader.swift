import HLSPlaylist
import TextCoding

/// Loads what playlists refer to besides media, in their order. The number of resources and their sizes are bounded.
struct ReferenceLoader: Sendable {
    /// The maximum number of session data that are loaded.
    private static let maximumSessionData = 64
    /// The maximum number of assets of interstitials that are loaded.
    private static let maximumAssets = 32
    /// The maximum size of a JSON document in bytes.
    private static let documentLimit = 1 << 20

    let resources: any ValidationResources
    /// Loads the presentation of an asset, without its interstitials.
    let loadAsset: @Sendable (String) async throws(ResourceFailure) -> MeasuredPresentation

    /// Loads everything that a presentation refers to.
    func load(into presentation: inout MeasuredPresentation) async {
        if let file = presentation.multivariant { await loadReferences(of: file, into: &presentation) }
        await loadInterstitials(into: &presentation)
    }

    private func loadReferences(of file: LintFile, into presentation: inout MeasuredPresentation) async {
        var count = 0
        for line in file.lines {
            let place = ValidationFinding.Place(file.name, line: line.number)
            switch line.content {
            case .tag(.sessionData(let tag)):
                guard let uri = tag.uri, count < Self.maximumSessionData else { continue }
                count += 1
                let kind: MeasuredReference.Kind = tag.dataID == ChapterList.dataID ? .chapters : .sessionData
                let isJSON = tag.format != .raw
                let reference = await document(kind, uri, place) { bytes throws(PlaylistError) in
                    if kind == .chapters {
                        _ = try ChapterList(parsing: bytes)
                    } else if isJSON, (try? JSONValue(parsing: bytes, maximumDepth: 64)) == nil {
                        throw PlaylistError(
                            Diagnostic(rule: .malformedJSON, severity: .error, line: 0, message: "it is not JSON")
                        )
                    }
                    return .read
                }
                presentation.references.append(reference)
            case .tag(.contentSteering(let tag)):
                let reference = await document(.steeringManifest, tag.serverURI, place) { bytes throws(PlaylistError) in
                    .steeringManifest(try SteeringManifest(parsing: bytes))
                }
                presentation.references.append(reference)
            default: continue
            }
        }
    }

    /// Loads and reads a JSON document. Data URIs, which need no request, are left out of the result's HTTP observations.
    private func document(
        _ kind: MeasuredReference.Kind,
        _ uri: String,
        _ place: ValidationFinding.Place,
        read: ([UInt8]) throws(PlaylistError) -> MeasuredReference.Outcome
    ) async -> MeasuredReference {
        var reference = MeasuredReference(kind: kind, place: place, outcome: .read)
        do {
            let resource = try await load(URIReference.resolve(uri, against: place.playlist))
            reference.http = resource.http
            do {
                reference.outcome = try read(resource.bytes)
            } catch {
                reference.outcome = .malformed(reason: error.diagnostic.message)
            }
        } catch {
            reference.outcome = .missing(reason: error.reason)
        }
        return reference
    }

    private func load(_ url: String) async throws(ResourceFailure) -> LoadedResource {
        if url.hasPrefix("data:") {
            guard let bytes = Self.dataURI(url) else { throw ResourceFailure(reason: "the data: URI is not Base64") }
            return LoadedResource(url: url, bytes: bytes)
        }
        return try await resources.load(
            StreamResourceRequest(url: url, purpose: .document, maximumSize: Self.documentLimit)
        )
    }

    private static func dataURI(_ uri: String) -> [UInt8]? {
        guard let comma = uri.firstIndex(of: ",") else { return nil }
        return Base64.decode(uri[uri.index(after: comma)...])
    }

    // MARK: Interstitials

    private func loadInterstitials(into presentation: inout MeasuredPresentation) async {
        var known: Set<String> = []
        var lists: Set<String> = []
        var count = 0
        // The tags are the same in all playlists (RFC 8216bis, 6.2.4); the linter compares them.
        for rendition in presentation.renditions where !rendition.isIFrames {
            for line in rendition.file.lines {
                guard case .tag(.dateRange(let tag)) = line.content, let interstitial = tag.interstitial else {
                    continue
                }
                let place = ValidationFinding.Place(rendition.name, line: line.number)
                guard known.insert(tag.id).inserted else {
                    await loadList(interstitial, place, &lists, into: &presentation)
                    continue
                }
                var measured = MeasuredInterstitial(tag: tag, place: place)
                for asset in await assets(interstitial, place, &lists, into: &presentation) {
                    guard count < Self.maximumAssets else { break }
                    count += 1
                    measured.assets.append(await self.measured(asset))
                }
                presentation.interstitials.append(measured)
            }
        }
    }

    /// Loads the asset list of an interstitial whose assets are known, if its URI is relative and refers to another resource
    /// from this playlist.
    private func loadList(
        _ interstitial: Interstitial,
        _ place: ValidationFinding.Place,
        _ lists: inout Set<String>,
        into presentation: inout MeasuredPresentation
    ) async {
        guard case .list(let uri) = interstitial.asset, lists.count < Self.maximumAssets,
            lists.insert(URIReference.resolve(uri, against: place.playlist)).inserted
        else { return }
        let reference = await document(.assetList, uri, place) { bytes throws(PlaylistError) in
            _ = try AssetList(parsing: bytes)
            return .read
        }
        presentation.references.append(reference)
    }

    private func assets(
        _ interstitial: Interstitial,
        _ place: ValidationFinding.Place,
        _ lists: inout Set<String>,
        into presentation: inout MeasuredPresentation
    ) async -> [MeasuredInterstitial.Asset] {
        switch interstitial.asset {
        case .uri(let uri): return [.init(uri: URIReference.resolve(uri, against: place.playlist))]
        case .list(let uri):
            guard lists.count < Self.maximumAssets else { return [] }
            lists.insert(URIReference.resolve(uri, against: place.playlist))
            var assets: [AssetList.Asset] = []
            let reference = await document(.assetList, uri, place) { bytes throws(PlaylistError) in
                assets = try AssetList(parsing: bytes).assets
                return .read
            }
            presentation.references.append(reference)
            let base = URIReference.resolve(uri, against: place.playlist)
            return assets.map { asset in
                .init(uri: URIReference.resolve(asset.uri, against: base), declaredDuration: asset.duration)
            }
        }
    }

    private func measured(_ asset: MeasuredInterstitial.Asset) async -> MeasuredInterstitial.Asset {
        var asset = asset
        do {
            asset.presentation = try await loadAsset(asset.uri)
        } catch {
            asset.failure = error.reason
        }
        return asset
    }
}
