// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
import Locking

public struct AVMediaCharacteristic: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let audible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicAudible")
    public static let legible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicLegible")
    public static let visual = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicVisual")
}

public struct AVMediaType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let audio = AVMediaType(rawValue: "soun")
    public static let video = AVMediaType(rawValue: "vide")
    public static let subtitle = AVMediaType(rawValue: "sbtl")
}

open class AVMediaSelectionOption: NSObject, @unchecked Sendable {
    let rendition: StreamContent.Rendition

    init(_ rendition: StreamContent.Rendition) { self.rendition = rendition }

    open var displayName: String { rendition.name }
    open var extendedLanguageTag: String? { rendition.language }
    open var mediaType: AVMediaType {
        switch rendition.kind {
        case .audio: .audio
        case .subtitles: .subtitle
        case .video: .video
        }
    }
    @available(iOS 5, macOS 10.8, tvOS 9, visionOS 1, *)
    open var locale: Locale? { rendition.language.map(Locale.init(identifier:)) }

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? AVMediaSelectionOption)?.rendition == rendition
    }
    open override var hash: Int { rendition.hashValue }
}

open class AVMediaSelectionGroup: NSObject, @unchecked Sendable {
    let kind: StreamContent.Rendition.Kind
    public let options: [AVMediaSelectionOption]

    init(_ kind: StreamContent.Rendition.Kind, _ renditions: [StreamContent.Rendition]) {
        (self.kind, options) = (kind, renditions.map(AVMediaSelectionOption.init))
    }

    open var defaultOption: AVMediaSelectionOption? { options.first { $0.rendition.isDefault } }
    open var allowsEmptySelection: Bool { kind == .subtitles }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let group = object as? AVMediaSelectionGroup else { return false }
        return group.kind == kind && group.options == options
    }
    open override var hash: Int { kind.hashValue }
}

open class AVMediaSelection: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    let state: Lock<StreamContent.Selection>
    private let assetReference: WeakReference<AVAsset>

    init(_ selection: StreamContent.Selection, asset: AVAsset?) {
        (state, assetReference) = (Lock(selection), WeakReference(asset))
    }
    /// An empty selection, as of Apple's initializer.
    public override convenience init() { self.init(StreamContent.Selection(), asset: nil) }

    open weak var asset: AVAsset? { assetReference.object }
    var selection: StreamContent.Selection { state.withLock { $0 } }

    open func selectedMediaOption(in group: AVMediaSelectionGroup) -> AVMediaSelectionOption? {
        group.options.first { $0.rendition == selection[group.kind] }
    }
    open override func copy() -> Any { copy(with: nil) }
    open func copy(with zone: NSZone?) -> Any { AVMediaSelection(selection, asset: asset) }
    open override func mutableCopy() -> Any { mutableCopy(with: nil) }
    open func mutableCopy(with zone: NSZone?) -> Any { AVMutableMediaSelection(selection, asset: asset) }
}

open class AVMutableMediaSelection: AVMediaSelection, @unchecked Sendable {
    open func select(_ mediaSelectionOption: AVMediaSelectionOption?, in mediaSelectionGroup: AVMediaSelectionGroup) {
        let rendition = mediaSelectionOption?.rendition
        state.withLock { $0[mediaSelectionGroup.kind] = rendition }
    }
}

@available(iOS 7, macOS 10.9, tvOS 9, visionOS 1, *)
open class AVPlayerMediaSelectionCriteria: NSObject, @unchecked Sendable {
    public let preferredLanguages: [String]?
    public let preferredMediaCharacteristics: [AVMediaCharacteristic]?

    public init(preferredLanguages: [String]?, preferredMediaCharacteristics: [AVMediaCharacteristic]?) {
        (self.preferredLanguages, self.preferredMediaCharacteristics) =
            (preferredLanguages, preferredMediaCharacteristics)
    }
}

@available(iOS 15, macOS 12, tvOS 15, visionOS 1, *)
open class AVAssetVariant: NSObject, @unchecked Sendable {
    let variant: StreamContent.Variant

    init(_ variant: StreamContent.Variant) { self.variant = variant }

    open var peakBitRate: Double? { variant.peakBitRate }
    open var averageBitRate: Double? { nil }
    @available(iOS 26, macOS 26, tvOS 26, visionOS 26, *)
    open var url: URL { URL(fileURLWithPath: variant.name) }

    open override func isEqual(_ object: Any?) -> Bool { (object as? AVAssetVariant)?.variant == variant }
    open override var hash: Int { variant.hashValue }
}

/// A test of variants. Foundation on Linux has predicates with a block only, so Apple's functions that return predicates
/// for heights, channel counts and sample rates are absent.
@available(iOS 15, macOS 12, tvOS 15, visionOS 1, *)
open class AVAssetVariantQualifier: NSObject, NSCopying, @unchecked Sendable {
    // NSPredicate is immutable, and the closure is that of the app, which the system calls as well.
    private let predicate: NSPredicate

    public init(predicate: NSPredicate) { self.predicate = predicate }
    public convenience init(variant: AVAssetVariant) {
        self.init(predicate: NSPredicate { object, _ in variant.isEqual(object) })
    }

    func accepts(_ variant: StreamContent.Variant) -> Bool { predicate.evaluate(with: AVAssetVariant(variant)) }

    open override func copy() -> Any { self }
    open func copy(with zone: NSZone?) -> Any { self }
}

/// A reference that does not retain its object.
final class WeakReference<Object: AnyObject & Sendable>: @unchecked Sendable {
    // Weak references are read and written atomically.
    private(set) weak var object: Object?
    init(_ object: Object?) { self.object = object }
}
