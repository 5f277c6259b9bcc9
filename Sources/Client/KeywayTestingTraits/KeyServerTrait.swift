#if canImport(Testing)
public import KeywayTesting
public import Testing

/// A trait that gives a test its own ``KeywayTesting/TestKeyServer``, as ``KeywayTesting/TestKeyServer/current``.
public struct KeyServerTrait: TestTrait, SuiteTrait, TestScoping {
    /// True: each test of a suite has its own server.
    public let isRecursive = true
    private let configure: @Sendable (TestKeyServer) -> Void

    init(_ configure: @escaping @Sendable (TestKeyServer) -> Void) { self.configure = configure }

    /// Runs a test with a server.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let server = TestKeyServer()
        configure(server)
        try await TestKeyServer.$scoped.withValue(server) { try await function() }
    }
}

extension Trait where Self == KeyServerTrait {
    /// A key server for each test.
    public static var keyServer: Self { KeyServerTrait { _ in } }

    /// A key server for each test, with policies, tokens or faults.
    ///
    ///     @Test(.keyServer { $0.policy = .lease(.seconds(600)) })
    ///     func aLeaseIsRenewed() async throws {
    ///         let client = TestKeyServer.current.makeClient()
    ///         …
    public static func keyServer(_ configure: @escaping @Sendable (TestKeyServer) -> Void) -> Self {
        KeyServerTrait(configure)
    }
}

extension TestKeyServer {
    @TaskLocal fileprivate static var scoped: TestKeyServer?

    /// The server of the current test. A test without the trait `.keyServer` records an issue that says so, and gets a
    /// server that nothing else uses.
    public static var current: TestKeyServer {
        if let scoped { return scoped }
        Issue.record(
            """
            TestKeyServer.current is only available in a test with the trait .keyServer, and in its child tasks: write \
            @Test(.keyServer), or create a TestKeyServer().
            """
        )
        return TestKeyServer()
    }
}
#endif
