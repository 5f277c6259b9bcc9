package import KeyStore
import Testing

/// The contract of all stores, as tests that accept any store. A store's own test target runs ``all`` with it.
///
/// The tests are closures. Inside a closure, Swift 6.3 confuses a closure in `#expect` with the next one of the same
/// type, and runs the wrong one; `#expect` therefore gets values here.
package struct KeyStoreContract: Sendable, CustomTestStringConvertible {
    /// The rule, in a sentence.
    package let testDescription: String
    /// Checks the rule with a new, empty store.
    package let check: @Sendable (any KeyServerStore) async throws -> Void

    init(_ promise: String, check: @escaping @Sendable (any KeyServerStore) async throws -> Void) {
        testDescription = promise
        self.check = check
    }

    /// All rules.
    package static let all =
        content + titles + keyPeriods + channels + policies + certificates + adminTokens + audit + auditFilters
        + auditedChanges + lists + histories + slots
        + claims + rentals + offline + sync + evidence + probe
}

/// Runs `body` and checks that it fails with this code.
func expectError(
    _ code: KeyStoreError.Code,
    at location: SourceLocation = #_sourceLocation,
    _ body: () async throws(KeyStoreError) -> Void
) async {
    do {
        try await body()
        Issue.record("expected the error \(code)", sourceLocation: location)
    } catch {
        #expect(error.code == code, "\(error)", sourceLocation: location)
    }
}
