import FPSCrypto
import Foundation

/// Bytes from hexadecimal digits; white space is skipped.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue!) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func secret(_ text: String) -> SecretBytes { SecretBytes(copying: hex(text)) }

/// The URL of a file of FPSCryptoTests/Fixtures: both targets test with the same keys.
private func fixtureURL(_ name: String) -> URL {
    URL(filePath: #filePath).appending(path: "../../FPSCryptoTests/Fixtures/\(name)").standardizedFileURL
}

/// A file of the fixtures.
func fixture(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: fixtureURL(name))) }

/// The address of a file of the fixtures, as a store takes it.
func fixtureURI(_ name: String) throws -> String { fixtureURL(name).absoluteString }

/// What opens the encrypted fixtures.
let fixturePassphrase = SecretBytes(copying: Array("correct horse".utf8))
