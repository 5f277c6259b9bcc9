// Each backend is a folder: Libcrypto, the system's OpenSSL 3 (Linux), and SwiftCrypto, which the package trait of that name
// chooses. Everything beside the folders is the same for both.
#if !SwiftCrypto && !canImport(CLibcrypto)
#error("FPSCrypto has no OpenSSL here: depend on the package keyway with traits: [\"SwiftCrypto\"]")
#endif
