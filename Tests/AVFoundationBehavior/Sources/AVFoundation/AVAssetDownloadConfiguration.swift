// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

@available(iOS 15, macOS 12, tvOS 15, visionOS 1, *)
open class AVAssetDownloadConfiguration: NSObject {
    let asset: AVURLAsset
    let title: String
    open var artworkData: Data?
    public let primaryContentConfiguration = AVAssetDownloadContentConfiguration()
    open var auxiliaryContentConfigurations: [AVAssetDownloadContentConfiguration]
    open var optimizesAuxiliaryContentConfigurations = true
    @available(iOS 18, macOS 15, visionOS 2, *)
    @available(tvOS, unavailable)
    open var downloadsInterstitialAssets: Bool {
        get { includesInterstitials }
        set { includesInterstitials = newValue }
    }
    private(set) var includesInterstitials = false
    private var interstitialCriteria: [AVMediaCharacteristic: [AVPlayerMediaSelectionCriteria]] = [:]

    private init(_ asset: AVURLAsset, _ title: String) {
        (self.asset, self.title) = (asset, title)
        // Not empty by default; its content is the system's, and here it adds nothing to the primary one.
        auxiliaryContentConfigurations = [AVAssetDownloadContentConfiguration()]
        super.init()
    }

    public convenience init(asset: AVURLAsset, title: String) { self.init(asset, title) }

    @available(iOS 18.4, macOS 15.4, tvOS 18.4, visionOS 2.4, *)
    open func setInterstitialMediaSelectionCriteria(
        _ criteria: [AVPlayerMediaSelectionCriteria],
        forMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
    ) { interstitialCriteria[mediaCharacteristic] = criteria }
}

@available(iOS 15, macOS 12, tvOS 15, visionOS 1, *)
open class AVAssetDownloadContentConfiguration: NSObject, NSCopying {
    open var variantQualifiers: [AVAssetVariantQualifier] = []
    open var mediaSelections: [AVMediaSelection] = []

    open override func copy() -> Any { copy(with: nil) }
    open func copy(with zone: NSZone?) -> Any {
        let copy = AVAssetDownloadContentConfiguration()
        (copy.variantQualifiers, copy.mediaSelections) = (variantQualifiers, mediaSelections)
        return copy
    }
}
