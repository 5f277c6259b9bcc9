// Each backend has a folder: Libcrypto uses the system's OpenSSL 3 (Linux), and SwiftCrypto uses swift-crypto and is
// enabled by the package trait with that name. The files outside of the folders are common to both.
#if !SwiftCrypto && !canImport(CLibcrypto)
#error("FPSCrypto has no OpenSSL here: depend on the package keyway with traits: [\"SwiftCrypto\"]")
#endif
