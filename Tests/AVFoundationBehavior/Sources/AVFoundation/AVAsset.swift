// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
import Locking

@available(iOS 13, macOS 10.15, tvOS 13, visionOS 1, *)
public let AVURLAssetAllowsExpensiveNetworkAccessKey = "AVURLAssetAllowsExpensiveNetworkAccessKey"
@available(iOS 13, macOS 10.15, tvOS 13, visionOS 1, *)
public let AVURLAssetAllowsConstrainedNetworkAccessKey = "AVURLAssetAllowsConstrainedNetworkAccessKey"
@available(iOS 10, macOS 10.15, tvOS 10, visionOS 1, *)
public let AVURLAssetAllowsCellularAccessKey = "AVURLAssetAllowsCellularAccessKey"

/// A property that an asset loads.
open class AVPartialAsyncProperty<Root>: @unchecked Sendable {}
public final class AVAsyncProperty<Root, Value: Sendable>: AVPartialAsyncProperty<Root>, @unchecked Sendable {
    let load: @Sendable (Root) throws -> Value
    init(_ load: @escaping @Sendable (Root) throws -> Value) { self.load = load }
}

public protocol AVAsynchronousKeyValueLoading: NSObjectProtocol {
    /// Not Apple's: marks that a property was loaded, which matters for key sessions (rule 76).
    func markLoaded()
}

@available(iOS 15, macOS 12, tvOS 15, visionOS 1, *)
extension AVAsynchronousKeyValueLoading {
    public func load<T>(_ property: AVAsyncProperty<Self, T>) async throws -> T {
        markLoaded()
        return try property.load(self)
    }
}

@available(iOS 15, macOS 12, tvOS 15, visionOS 1, *)
extension AVPartialAsyncProperty where Root: AVAsset {
    public static var duration: AVAsyncProperty<Root, CMTime> {
        AVAsyncProperty { asset in
            guard let seconds = try asset.resolve().content.duration else { return .indefinite }
            return CMTime(seconds: seconds, preferredTimescale: 600)
        }
    }
    public static var isPlayable: AVAsyncProperty<Root, Bool> {
        AVAsyncProperty { asset in (try? asset.resolve()) != nil }
    }
    public static var hasProtectedContent: AVAsyncProperty<Root, Bool> {
        AVAsyncProperty { asset in try asset.resolve().content.isProtected }
    }
    public static var preferredMediaSelection: AVAsyncProperty<Root, AVMediaSelection> {
        AVAsyncProperty { asset in AVMediaSelection(try asset.resolve().content.automaticSelection, asset: asset) }
    }
    public static var allMediaSelections: AVAsyncProperty<Root, [AVMediaSelection]> {
        AVAsyncProperty { asset in
            let content = try asset.resolve().content
            let audio = content.renditions.filter { $0.kind == .audio }
            guard !audio.isEmpty else { return [AVMediaSelection(content.automaticSelection, asset: asset)] }
            return audio.map { rendition in
                var selection = content.automaticSelection
                selection[.audio] = rendition
                return AVMediaSelection(selection, asset: asset)
            }
        }
    }
    public static var availableMediaCharacteristicsWithMediaSelectionOptions:
        AVAsyncProperty<Root, [AVMediaCharacteristic]>
    {
        AVAsyncProperty { asset in
            let kinds = Set(try asset.resolve().content.renditions.map(\.kind))
            return StreamContent.Rendition.Kind.allCases.filter(kinds.contains).map { kind in
                switch kind {
                case .audio: .audible
                case .subtitles: .legible
                case .video: .visual
                }
            }
        }
    }
}

@available(iOS 15, macOS 12, tvOS 15, visionOS 1, *)
extension AVPartialAsyncProperty where Root: AVURLAsset {
    public static var variants: AVAsyncProperty<Root, [AVAssetVariant]> {
        AVAsyncProperty { asset in try asset.resolve().content.variants.map(AVAssetVariant.init) }
    }
}

open class AVAsset: NSObject, AVAsynchronousKeyValueLoading, @unchecked Sendable {
    let system = AppleSystem.current
    /// The key session of the asset, and whether a property of the asset was loaded, after which it is too late to add
    /// the asset to a session (rule 76).
    package let recipientState = RecipientState()

    /// True if a property was loaded.
    package var isLoaded: Bool { recipientState.hasLoaded }
    public func markLoaded() { recipientState.hasLoaded = true }

    @available(iOS 15, macOS 12, tvOS 15, visionOS 1, *)
    open func loadMediaSelectionGroup(
        for mediaCharacteristic: AVMediaCharacteristic
    ) async throws -> AVMediaSelectionGroup? {
        markLoaded()
        let kind: StreamContent.Rendition.Kind? =
            switch mediaCharacteristic {
            case .audible: .audio
            case .legible: .subtitles
            case .visual: .video
            default: nil
            }
        guard let kind else { return nil }
        let renditions = try resolve().content.renditions.filter { $0.kind == kind }
        return renditions.isEmpty ? nil : AVMediaSelectionGroup(kind, renditions)
    }

    /// The presentation or package at the asset's URL now.
    func resolve() throws(NSError) -> ResolvedContent { throw NSError(domain: AVFoundationErrorDomain, code: -11838) }
}

open class AVURLAsset: AVAsset, AVContentKeyRecipient, KeySessionAsset, @unchecked Sendable {
    public let url: URL
    public let resourceLoader: AVAssetResourceLoader
    let networkAccess: NetworkAccess
    private let cacheConfigured = Lock(false)

    public init(url URL: URL, options: [String: Any]?) {
        url = URL
        networkAccess = NetworkAccess(
            cellular: options?[AVURLAssetAllowsCellularAccessKey] as? Bool ?? true,
            expensive: options?[AVURLAssetAllowsExpensiveNetworkAccessKey] as? Bool ?? true,
            constrained: options?[AVURLAssetAllowsConstrainedNetworkAccessKey] as? Bool ?? true
        )
        resourceLoader = AVAssetResourceLoader(AppleSystem.current)
        super.init()
    }

    public convenience init(url URL: URL) { self.init(url: URL, options: nil) }

    @available(iOS 10, macOS 10.12, visionOS 1, *)
    @available(tvOS, unavailable)
    open var assetCache: AVAssetCache? {
        // Rule 118: nil if nothing was configured for the disk.
        guard cacheConfigured.withLock({ $0 }) || url.isFileURL else { return nil }
        return AVAssetCache(self)
    }

    /// Rule 78: true if the content needs keys. The value before loading is unknown; here it is the same.
    open var mayRequireContentKeysForMediaDataProcessing: Bool { (try? resolve().content.isProtected) ?? true }

    override func resolve() throws(NSError) -> ResolvedContent {
        do throws(NSError) {
            return try system.media.resolve(url)
        } catch {
            // Rule 119: the asset of a download reads what is on the disk, where that is the streamed variant.
            guard error.code == NSURLErrorNotConnectedToInternet, cacheConfigured.withLock({ $0 }),
                let package = system.downloads.package(of: url), package.isComplete,
                let streamed = package.content.variants.first, package.variants.contains(streamed)
            else { throw error }
            return ResolvedContent(content: package.content, package: package)
        }
    }

    /// Marks that the asset was given to a download task, so that it has a cache.
    func configureCache() { cacheConfigured.withLock { $0 = true } }
}

@available(iOS 10, macOS 10.12, visionOS 1, *)
@available(tvOS, unavailable)
open class AVAssetCache: NSObject, @unchecked Sendable {
    private let asset: AVURLAsset

    init(_ asset: AVURLAsset) { self.asset = asset }

    private var package: DownloadPackage? { asset.system.downloads.package(of: asset.url) }

    /// Rule 118: true if one complete rendition is on the disk; it says nothing about other selections and about keys.
    open var isPlayableOffline: Bool { package?.isComplete ?? false }

    open func mediaSelectionOptions(in mediaSelectionGroup: AVMediaSelectionGroup) -> [AVMediaSelectionOption] {
        let stored = package?.selections.compactMap { $0[mediaSelectionGroup.kind] } ?? []
        return mediaSelectionGroup.options.filter { stored.contains($0.rendition) }
    }
}
