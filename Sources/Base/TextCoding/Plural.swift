/// Returns a number with its noun, such as `1 key` and `2 keys`.
///
/// - Parameter plural: The plural of the noun, unless it is formed with an s.
package func counted(_ number: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
}
