import ByteCoding
import DRMSignaling
import FileWriting
import MediaDecryption
import Packager
import ToolSupport

extension CommandFailure {
    /// Returns a failure for an error while media was read or written.
    ///
    /// - Parameter path: The path of the input, which parsing errors do not contain.
    static func media(_ error: any Error, path: String) -> CommandFailure {
        switch error {
        case let failure as CommandFailure: return failure
        case let failure as FileError: return .file("\(failure)", next: "check the path and its permissions")
        case let error as DecryptionError:
            return .input("\(path): \(error)", next: advice(error.code))
        case let error as ParseError: return .input("\(path): \(error)")
        default: return .input("\(path): \(error)")
        }
    }

    private static func advice(_ code: DecryptionError.Code) -> String? {
        switch code {
        case .missingKey: "give it with --key KID:KEY"
        case .missingInitialization: "give it with --init"
        case .missingIV, .notSupported, .damaged, .notMedia, .refused: nil
        }
    }
}
