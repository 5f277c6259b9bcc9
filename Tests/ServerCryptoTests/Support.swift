import FPSCrypto
import Foundation

/// Returns bytes from hexadecimal digits; white space is ignored.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue!) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func secret(_ text: String) -> SecretBytes { SecretBytes(copying: hex(text)) }

/// Returns the URL of a file of FPSCryptoTests/Fixtures: both targets test with the same keys.
private func fixtureURL(_ name: String) -> URL {
    URL(filePath: #filePath).appending(path: "../../FPSCryptoTests/Fixtures/\(name)").standardizedFileURL
}

/// Returns the content of a fixture.
func fixture(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: fixtureURL(name))) }

/// Returns the URL of a fixture, for an OpenSSL store.
func fixtureURI(_ name: String) throws -> String { fixtureURL(name).absoluteString }

/// The passphrase of the encrypted fixtures.
let fixturePassphrase = SecretBytes(copying: Array("correct horse".utf8))
