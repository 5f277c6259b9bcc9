#if canImport(AVFoundation)
public import ContentKeySession
import Foundation

extension ContentKeyError.Code {
    /// AVFoundation does not accept the type of key that the app provides for this request.
    public static let contentTypeNotAllowed = Self(rawValue: "content-type-not-allowed")
}

/// The errors that a resource loader's delegate passes to AVFoundation. The player item's error and error log contain
/// them, so each has a code other than 0, a description and advice.
enum ResourceLoaderFailure {
    /// The domain of errors of intercepted resources. Errors of FairPlay keys have that of ``PlatformFailure``.
    static let domain = "org.keyway.resource-loader"

    /// Returns an error for AVFoundation. The code of a resource's error is the HTTP status, or the position of the kind
    /// of error, from 1.
    static func error(_ error: any Error) -> NSError {
        switch error {
        case let error as KeyFailure: PlatformFailure.error(error) as NSError
        case let error as ContentKeyError:
            make(PlatformFailure.domain, error.number.map(Int.init) ?? 93, "\(error)", advice(error.code))
        case let error as ResourceError:
            make(domain, error.status ?? position(error.code), "\(error)", advice(error.code))
        default: passedOn(error)
        }
    }

    private static func position(_ code: ResourceError.Code) -> Int {
        (ResourceError.Code.allCases.firstIndex(of: code) ?? 0) + 1
    }

    /// Returns an error of AVFoundation or of the app with its domain and code.
    static func passedOn(_ error: any Error) -> NSError {
        let error = error as NSError
        var information = error.userInfo
        if information[NSLocalizedRecoverySuggestionErrorKey] == nil {
            information[NSLocalizedRecoverySuggestionErrorKey] = KeyFailure.Kind.spcCreationFailed.advice
        }
        return NSError(domain: error.domain, code: error.code == 0 ? 94 : error.code, userInfo: information)
    }

    private static func advice(_ code: ContentKeyError.Code) -> String {
        switch code {
        case .notAvailableInSimulator: "Use a device: FairPlay Streaming does not exist in a simulator or a preview."
        case .contentTypeNotAllowed: advice(ResourceError.Code.typeNotAllowed)
        default: "Start playback again."
        }
    }

    private static func advice(_ code: ResourceError.Code) -> String {
        switch code {
        case .notIntercepted: "Start at the address that interceptedURL(for:) returns."
        case .typeNotAllowed: "The player does not accept this kind of key now. Turn AirPlay off, then try again."
        case .wrongRange, .unreadableKey: "Check that the address of the key returns 16 bytes."
        case .noConnection: KeyFailure.Kind.noConnection.advice
        case .deadline: KeyFailure.Kind.timeout.advice
        case .tooLarge: KeyFailure.Kind.responseTooLarge.advice
        case .badAddress: KeyFailure.Kind.badAddress.advice
        case .status: "The server refused the request. Check the account, then the address in the playlist."
        case .unreadablePlaylist: KeyFailure.Kind.malformedResponse.advice
        case .keyNotStored: "Free storage, then try again."
        case .cancelled: KeyFailure.Kind.cancelled.advice
        }
    }

    private static func make(_ domain: String, _ code: Int, _ description: String, _ advice: String) -> NSError {
        NSError(
            domain: domain,
            code: code,
            userInfo: [NSLocalizedDescriptionKey: description, NSLocalizedRecoverySuggestionErrorKey: advice]
        )
    }
}
#endif
