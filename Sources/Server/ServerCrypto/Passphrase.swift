import CLibcrypto
import FPSCrypto

/// Provides a passphrase from memory to libcrypto. Without it, libcrypto would prompt on the terminal.
final class PassphraseSource {
    private let passphrase: SecretBytes?
    /// True if libcrypto has requested the passphrase.
    private(set) var wasRequested = false

    init(_ passphrase: SecretBytes?) { self.passphrase = passphrase }

    /// Calls `body` with the argument for ``passphraseCallback(_:_:_:_:)``.
    func withArgument<Value>(_ body: (UnsafeMutableRawPointer) -> Value) -> Value {
        withExtendedLifetime(self) { body(Unmanaged.passUnretained(self).toOpaque()) }
    }

    /// Writes the passphrase and returns its size, or -1 if there is none or it does not fit.
    fileprivate func write(_ buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        wasRequested = true
        guard let passphrase, passphrase.count <= buffer.count else { return -1 }
        passphrase.withUnsafeBytes { buffer.copyMemory(from: $0) }
        return Int32(passphrase.count)
    }
}

/// The passphrase callback of libcrypto; its last argument is the ``PassphraseSource``.
func passphraseCallback(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: Int32,
    _: Int32,
    _ source: UnsafeMutableRawPointer?
) -> Int32 {
    guard let buffer, let source else { return -1 }
    let object = Unmanaged<PassphraseSource>.fromOpaque(source).takeUnretainedValue()
    return object.write(UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)))
}
