// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Constants of content keys: reference, sections 1.1 and 1.3. Raw strings whose value is not public begin with "?":
// compare by constant only.

import Foundation

// SDK 27 declares these values Sendable, SDK 26 does not.
#if SDK_26
public typealias _ContentKeyValue = Any
#else
public typealias _ContentKeyValue = any Sendable
#endif

@available(iOS 10.3, macOS 10.12.4, tvOS 10.2, visionOS 1, *)
public struct AVContentKeySystem: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let fairPlayStreaming = AVContentKeySystem(rawValue: "?FairPlayStreaming")
    @available(iOS 11, macOS 10.13, tvOS 11, visionOS 1, *)
    public static let clearKey = AVContentKeySystem(rawValue: "?ClearKey")
    @available(iOS 13, macOS 10.15, tvOS 13, visionOS 1, *)
    public static let authorizationToken = AVContentKeySystem(rawValue: "?AuthorizationToken")
}

@available(iOS 12.2, macOS 10.15, tvOS 17, visionOS 1, *)
public struct AVContentKeySessionServerPlaybackContextOption: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let protocolVersions = AVContentKeySessionServerPlaybackContextOption(
        rawValue: "ProtocolVersionsKey"
    )
    public static let serverChallenge = AVContentKeySessionServerPlaybackContextOption(rawValue: "ServerChallenge")
}

@available(iOS 10.3, macOS 10.12.4, tvOS 10.2, visionOS 1, *)
public let AVContentKeyRequestProtocolVersionsKey = "?ProtocolVersions"
@available(iOS 13, macOS 10.15, tvOS 13, visionOS 1, *)
public let AVContentKeyRequestRequiresValidationDataInSecureTokenKey = "?RequiresValidationDataInSecureToken"
@available(iOS 26, macOS 26, tvOS 26, visionOS 26, *)
public let AVContentKeyRequestShouldRandomizeDeviceIdentifierKey = "?ShouldRandomizeDeviceIdentifier"
@available(iOS 26, macOS 26, tvOS 26, visionOS 26, *)
public let AVContentKeyRequestRandomDeviceIdentifierSeedKey = "?RandomDeviceIdentifierSeed"
