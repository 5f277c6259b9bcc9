import FPSCrypto
import Foundation
import SampleEncryption
import Testing

/// Bytes from hexadecimal digits.
func hex(_ text: some StringProtocol) -> [UInt8] {
    let digits = text.map { UInt8($0.hexDigitValue!) }
    precondition(digits.count.isMultiple(of: 2))
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// A vector of Fixtures/samples.txt.
struct SampleVector: CustomTestStringConvertible, Sendable {
    let name: String
    let scheme: [String]
    let key: SecretBytes
    let iv: CipherIV
    let subsamples: [Subsample]
    let clear: [UInt8]
    let protected: [UInt8]

    var testDescription: String { name }

    /// The scheme of the samples; nil for whole segments.
    func protectionScheme() throws -> ProtectionScheme? {
        let pattern = { try EncryptionPattern(cryptBlocks: Int(scheme[1])!, skipBlocks: Int(scheme[2])!) }
        switch scheme[0] {
        case "cbcs": return .cbcs(try pattern())
        case "cens": return .cens(try pattern())
        case "cenc": return .cenc
        case "cbc1": return .cbc1
        case "h264": return .sampleAES(.h264)
        case "aac": return .sampleAES(.aac)
        case "ac3": return .sampleAES(.ac3)
        case "enhanced-ac3": return .sampleAES(.enhancedAC3)
        case "aes-128": return nil
        default: throw SampleEncryptionError(.unsupported, reason: scheme[0])
        }
    }

    /// All vectors.
    static let all: [SampleVector] = {
        guard let url = Bundle.module.url(forResource: "Fixtures/samples", withExtension: "txt"),
            let text = try? String(contentsOf: url, encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n\n").dropFirst().compactMap { block in
            var fields: [Substring: Substring] = [:]
            for line in block.split(separator: "\n") {
                let parts = line.split(separator: ":", maxSplits: 1)
                fields[parts[0]] = parts[1].dropFirst()
            }
            return SampleVector(fields)
        }
    }()

    private init?(_ fields: [Substring: Substring]) {
        name = String(fields["name"]!)
        scheme = fields["scheme"]!.split(separator: " ").map(String.init)
        key = SecretBytes(copying: hex(fields["key"]!))
        guard let iv = try? CipherIV(hex(fields["iv"]!)) else { return nil }
        self.iv = iv
        subsamples = fields["subsamples"]!.split(separator: " ").filter { $0 != "-" }.map {
            let sizes = $0.split(separator: "+").map { Int($0)! }
            return Subsample(clear: sizes[0], protected: sizes[1])
        }
        clear = hex(fields["clear"]!)
        protected = hex(fields["protected"]!)
    }
}

/// The code of the error that `body` throws, or nil.
func code(_ body: () throws(SampleEncryptionError) -> Void) -> SampleEncryptionError.Code? {
    do {
        try body()
        return nil
    } catch {
        return error.code
    }
}

/// All schemes, with some patterns.
let allSchemes: [ProtectionScheme] =
    [
        .cenc, .cbc1, .cbcsVideo, .cbcsAudio, .sampleAES(.h264), .sampleAES(.aac), .sampleAES(.ac3),
        .sampleAES(.enhancedAC3),
    ]
    + [(1, 9), (2, 3), (15, 15), (5, 0)].compactMap { try? EncryptionPattern(cryptBlocks: $0.0, skipBlocks: $0.1) }
    .flatMap { [.cbcs($0), .cens($0)] }

let testKey = SecretBytes(copying: (0..<16).map { UInt8($0 * 11) })
