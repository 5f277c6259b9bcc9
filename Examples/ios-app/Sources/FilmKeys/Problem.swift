import ContentKeySession
import ContentKeySessionAVFoundation
import Foundation

/// A problem for viewers: the event, the action that may solve it, and details for support.
public struct Problem: Hashable, Sendable {
    /// The event, in one sentence.
    public var whatHappened: String
    /// The action that may solve it, in one or two sentences.
    public var whatToDo: String
    /// Names and numbers for support, without secrets.
    public var details: String

    /// Creates a problem from an error of this app or of the system.
    public init(_ error: any Error) {
        switch error {
        case let error as ContentKeyError: self.init(key: error)
        case AssetDownloadError.unwrittenRecords:
            self.init("The state of a download could not be stored.", "Free storage on the device.", "\(error)")
        case AssetDownloadError.keyNotInvalidated:
            self.init(
                "A key of the cancelled download was not returned.",
                "If you download the film again, the key is used again.",
                "\(error)"
            )
        case is AssetDownloadError, is PersistentKeyFileError:
            self.init("The downloads cannot be used.", "Unlock the device, then try again.", "\(error)")
        case let error as OfflineKeyError:
            self.init(
                "The service did not complete the request.",
                "Connect to the internet, then try again.",
                "\(error)"
            )
        default:
            // Only domains and numbers: the text of an error may contain an address with a token.
            var (numbers, next) = ([String](), error as NSError?)
            while let error = next, numbers.count < 8 {
                numbers.append("\(error.domain) \(error.code)")
                next = error.userInfo[NSUnderlyingErrorKey] as? NSError
            }
            self.init("The film cannot be played.", "Try again.", numbers.joined(separator: ", "))
        }
    }

    /// Creates a problem from an entry of a loader's error log.
    init(_ entry: KeyErrorEntry) {
        let (failure, details) = (entry.failure, "\(entry.label): \(entry.failure)")
        // The device's error says why it rejected a key: the response, or without a network the stored key.
        if [.ckcRejected, .noConnection, .timeout].contains(failure.kind), let code = failure.code {
            self.init(code: ContentKeyError.Code(rawValue: code), details)
        } else {
            self.init(kind: failure.kind, details)
        }
    }

    private init(key error: ContentKeyError) {
        // The adapter names the error of the loader after the kind of failure.
        if let kind = KeyFailure.Kind(rawValue: error.code.rawValue) {
            self.init(kind: kind, error.description)
        } else {
            self.init(code: error.code, error.description)
        }
    }

    private init(code: ContentKeyError.Code, _ details: String) {
        let (whatHappened, whatToDo) =
            switch code {
            case .notAvailableInSimulator:
                ("Protected films cannot be played in the Simulator.", "Run the app on a device.")
            case .persistenceNotAllowed:
                ("The key cannot be stored for offline playback.", "Turn AirPlay off, then download the film again.")
            case .persistentKeyExpired:
                ("The time to watch this download has ended.", "Connect to the internet, then renew the download.")
            case .persistentKeyOutdated, .invalidPersistentKey:
                ("The device no longer accepts the stored key.", "Connect to the internet, then renew the download.")
            case .outputRestricted:
                ("The display does not protect the film.", "Disconnect the display, or use another cable.")
            case .timedOut: ("The key did not arrive in time.", "Check the connection, then try again.")
            default: ("The film cannot be played.", "Try again. If this continues, report the details to the service.")
            }
        self.init(whatHappened, whatToDo, details)
    }

    private init(kind: KeyFailure.Kind, _ details: String) {
        let whatHappened =
            switch kind {
            case .noConnection, .timeout: "The key server cannot be reached."
            case .noToken, .tokenRefused: "The service does not know who is watching."
            case .forbidden: "The service does not allow this film to be watched here."
            case .persistenceRefused, .persistenceNotLicensed: "The key cannot be stored for offline playback."
            case .keyNotStored: "The key could not be stored."
            default: "The key of the film could not be loaded."
            }
        self.init(whatHappened, kind.advice, details)
    }

    private init(_ whatHappened: String, _ whatToDo: String, _ details: String) {
        (self.whatHappened, self.whatToDo, self.details) = (whatHappened, whatToDo, details)
    }
}
