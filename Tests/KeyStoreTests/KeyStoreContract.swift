package import KeyStore
import Testing

/// What every store promises, as tests that take any store. A store's own test target runs ``all`` over it.
///
/// The tests are closures. In a closure, Swift 6.3 confuses a closure that stands inside `#expect` with the next one of
/// the same type, and runs the wrong one: here `#expect` is given values.
package struct KeyStoreContract: Sendable, CustomTestStringConvertible {
    /// The promise, in a sentence.
    package let testDescription: String
    /// Holds a new, empty store to it.
    package let check: @Sendable (any KeyServerStore) async throws -> Void

    init(_ promise: String, check: @escaping @Sendable (any KeyServerStore) async throws -> Void) {
        testDescription = promise
        self.check = check
    }

    /// Every promise.
    package static let all =
        content + titles + keyPeriods + channels + policies + certificates + adminTokens + audit + auditedChanges
        + slots
        + claims + rentals + offline + sync + evidence + probe
}

/// Runs `body` and holds that it fails with this code.
func expectError(
    _ code: KeyStoreError.Code,
    at location: SourceLocation = #_sourceLocation,
    _ body: () async throws(KeyStoreError) -> Void
) async {
    do {
        try await body()
        Issue.record("nothing was thrown, \(code) was expected", sourceLocation: location)
    } catch {
        #expect(error.code == code, "\(error)", sourceLocation: location)
    }
}
