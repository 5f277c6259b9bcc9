// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stub for type-checking: see README.md.

public import Foundation

open class AVAsset: NSObject {}

open class AVURLAsset: AVAsset, AVContentKeyRecipient {
    public let url: URL
    public let resourceLoader = AVAssetResourceLoader()
    @available(iOS 10, macOS 10.12, visionOS 1, *)
    @available(tvOS, unavailable)
    open var assetCache: AVAssetCache? { nil }
    open var mayRequireContentKeysForMediaDataProcessing: Bool { false }

    public init(url URL: URL, options: [String: Any]?) {
        url = URL
        super.init()
    }

    public convenience init(url URL: URL) { self.init(url: URL, options: nil) }
}

@available(iOS 10, macOS 10.12, visionOS 1, *)
@available(tvOS, unavailable)
open class AVAssetCache: NSObject {
    open var isPlayableOffline: Bool { false }
}

@MainActor open class AVPlayerItem: NSObject {
    public convenience init(asset: AVAsset) { self.init() }
}

@MainActor open class AVPlayer: NSObject {
    public convenience init(playerItem item: AVPlayerItem?) { self.init() }
    open var allowsExternalPlayback = true
    @available(iOS 6, tvOS 9, *)
    @available(macOS, unavailable)
    open var usesExternalPlaybackWhileExternalScreenIsActive = false
    open func play() {}
}
