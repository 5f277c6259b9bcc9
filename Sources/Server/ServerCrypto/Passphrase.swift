import CLibcrypto
import FPSCrypto

/// Answers libcrypto's questions for a passphrase from memory. Without it libcrypto would ask on the terminal.
final class PassphraseSource {
    private let passphrase: SecretBytes?
    /// True once libcrypto has asked.
    private(set) var wasAsked = false

    init(_ passphrase: SecretBytes?) { self.passphrase = passphrase }

    /// Runs `body` with the value that goes with ``passphraseCallback(_:_:_:_:)``.
    func withArgument<Value>(_ body: (UnsafeMutableRawPointer) -> Value) -> Value {
        withExtendedLifetime(self) { body(Unmanaged.passUnretained(self).toOpaque()) }
    }

    /// Writes the passphrase and returns its size, or -1 if there is none or it is too long.
    fileprivate func answer(_ buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        wasAsked = true
        guard let passphrase, passphrase.count <= buffer.count else { return -1 }
        passphrase.withUnsafeBytes { buffer.copyMemory(from: $0) }
        return Int32(passphrase.count)
    }
}

/// libcrypto's callback for a passphrase; its last argument is the ``PassphraseSource``.
func passphraseCallback(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: Int32,
    _: Int32,
    _ source: UnsafeMutableRawPointer?
) -> Int32 {
    guard let buffer, let source else { return -1 }
    let object = Unmanaged<PassphraseSource>.fromOpaque(source).takeUnretainedValue()
    return object.answer(UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)))
}
