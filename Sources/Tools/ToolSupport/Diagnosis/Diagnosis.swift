package import CommandSupport
import TextCoding

/// The result of a `doctor` command: the steps in the order in which each depends on those before it.
package struct Diagnosis: Sendable {
    /// The result of a step, or the severity of a problem.
    package enum Mark: String, Sendable {
        /// Nothing is wrong.
        case ok
        /// Something is wrong that does not prevent operation, or not everywhere.
        case warning
        /// Something is wrong that prevents operation.
        case failed
        /// The step was not checked.
        case skipped
    }

    /// Something that is wrong.
    package struct Problem: Sendable {
        /// The severity: a warning or a failure.
        package let mark: Mark
        /// The stable code, in kebab-case.
        package let code: String
        /// The description in one sentence, without secrets.
        package let text: String
        /// The remedy: a command or a page.
        package let remedy: String
        /// True if a file cannot be read, or a connection fails, which has an exit code of its own.
        package let isUnreachable: Bool

        /// Creates a problem that prevents operation.
        package static func failure(
            _ code: String,
            _ text: String,
            remedy: String,
            isUnreachable: Bool = false
        ) -> Problem {
            Problem(mark: .failed, code: code, text: text, remedy: remedy, isUnreachable: isUnreachable)
        }

        /// Creates a problem that does not prevent operation, or not everywhere.
        package static func warning(_ code: String, _ text: String, remedy: String) -> Problem {
            Problem(mark: .warning, code: code, text: text, remedy: remedy, isUnreachable: false)
        }
    }

    /// A step of the diagnosis.
    package struct Step: Sendable {
        /// The stable name, one word in kebab-case.
        package let id: String
        /// The result in words, or why the step was skipped, as a part of a sentence.
        package var summary: String
        /// Further facts, one line each.
        package var details: [String] = []
        /// The problems, in the order in which they were found.
        package var problems: [Problem] = []
        /// True if the step was not checked.
        package var isSkipped = false

        /// Creates a step.
        package init(_ id: String, _ summary: String = "", problems: [Problem] = []) {
            (self.id, self.summary, self.problems) = (id, summary, problems)
        }

        /// Creates a step that was not checked.
        package static func skipped(_ id: String, _ reason: String) -> Step {
            var step = Step(id, reason)
            step.isSkipped = true
            return step
        }

        /// The result.
        package var mark: Mark {
            if problems.contains(where: { $0.mark == .failed }) { return .failed }
            if isSkipped { return .skipped }
            return problems.isEmpty ? .ok : .warning
        }
    }

    /// The name of the command, such as `keyway doctor`.
    package let command: String
    /// The steps.
    package var steps: [Step] = []

    /// Creates a diagnosis without steps.
    package init(command: String) { self.command = command }

    /// The first failure, or the first warning if there is no failure; nil if nothing is wrong.
    package var first: (step: Step, problem: Problem)? { first(.failed) ?? first(.warning) }

    private func first(_ mark: Mark) -> (step: Step, problem: Problem)? {
        for step in steps {
            if let problem = step.problems.first(where: { $0.mark == mark }) { return (step, problem) }
        }
        return nil
    }

    /// The overall result.
    package var result: Mark { first?.problem.mark ?? .ok }

    /// Throws a failure if a step failed: with exit code 3 if the first failure is a file or a connection, otherwise 1.
    package func requireSuccess() throws(CommandFailure) {
        guard let first, first.problem.mark == .failed else { return }
        let count = steps.count { $0.mark == .failed }
        throw CommandFailure(
            kind: first.problem.isUnreachable ? .file : .input,
            what: count == 1
                ? "the step \(first.step.id) failed (\(first.problem.code))"
                : "\(counted(count, "step")) failed, the first one is \(first.step.id) (\(first.problem.code))"
        )
    }
}
