/// The error of a test that waited for something that never happened.
struct NeverHappened: Error, CustomStringConvertible {
    let description: String
}

/// Waits until a condition is true, with a look every millisecond. Unlike a loop that yields, this does not occupy a
/// core.
///
/// - Throws: ``NeverHappened`` after 120,000 looks, which take two minutes or more, and `CancellationError` when the
///   time limit of the test is exceeded.
func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
    for _ in 0..<120_000 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(1))
    }
    throw NeverHappened(description: "this never happened: \(what)")
}
