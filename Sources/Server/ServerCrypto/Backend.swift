#if SwiftCrypto
#error("ServerCrypto calls OpenSSL directly: build servers and tools without the trait SwiftCrypto")
#endif
