import ContentKeySession
import Foundation
import Testing

/// Tests of the state tables, of the documents that contain them, and of the state machine that implements them.
@Suite("The tables of the state machine")
struct MachineTableTests {
    struct Row: Hashable, Sendable {
        let state, event, next: String
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Returns the rows of the table whose first cells are states of one of the two kinds.
    static func rows(in file: String, states: [String], events: [String]) throws -> [Row] {
        try String(contentsOf: root.appending(path: file), encoding: .utf8).split(separator: "\n").compactMap { line in
            let line = line.hasPrefix("/// ") ? line.dropFirst(4) : line[...]
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces).trimmingCharacters(in: ["`"]) }
            guard cells.count == 6, states.contains(cells[1]), events.contains(cells[2]) else { return nil }
            return Row(state: cells[1], event: cells[2], next: cells[3])
        }
    }

    static let requestStates = RequestState.allCases.map(\.rawValue)
    static let requestEvents = RequestEvent.Kind.allCases.map(\.rawValue)
    static let keyStates = KeyState.allCases.map(\.rawValue)
    static let keyEvents = KeyEvent.allCases.map(\.rawValue)

    @Test(
        "The request table is equal in the code, its comment and the document",
        arguments: ["Sources/Client/ContentKeySession/Machine/RequestState.swift", "docs/content-key-session.md"]
    )
    func requestTable(file: String) throws {
        let shown = try Self.rows(in: file, states: Self.requestStates, events: Self.requestEvents)
        var coded: [Row] = []
        for state in RequestState.allCases {
            for event in RequestEvent.Kind.allCases {
                guard let next = RequestTable.next(state, event) else { continue }
                coded.append(Row(state: state.rawValue, event: event.rawValue, next: next.rawValue))
            }
        }
        #expect(Set(shown) == Set(coded))
        #expect(shown.count == coded.count)
        #expect(coded.count == 23)
    }

    @Test(
        "The key table is equal in the code, its comment and the document",
        arguments: ["Sources/Client/ContentKeySession/Machine/KeyState.swift", "docs/content-key-session.md"]
    )
    func keyTable(file: String) throws {
        let shown = try Self.rows(in: file, states: Self.keyStates, events: Self.keyEvents)
        var coded: [Row] = []
        for state in KeyState.allCases {
            for event in KeyEvent.allCases {
                guard let next = KeyTable.next(state, event) else { continue }
                coded.append(Row(state: state.rawValue, event: event.rawValue, next: next.rawValue))
            }
        }
        #expect(Set(shown) == Set(coded))
        #expect(shown.count == coded.count)
        #expect(coded.count == 17)
    }

    @Test("A request performs the actions of its row for every state and event, and refuses events without a row")
    func everyRequestPair() {
        for state in RequestState.allCases {
            for event in RequestEvent.all {
                var machine = Bench.machine(requestIn: state)
                #expect(machine.state(ofRequest: 1) == state)
                let actions = machine.handle(.request(1, event))
                let label = "\(state) \(event.kind)"
                guard let next = RequestTable.next(state, event.kind) else {
                    #expect(machine.state(ofRequest: 1) == state, "\(label)")
                    #expect(actions == [.refuse(ContentKeyError(.requestAnswered, .request))], "\(label)")
                    continue
                }
                #expect(machine.state(ofRequest: 1) == next, "\(label)")
                #expect(actions == Bench.actions(state, event), "\(label)")
            }
        }
    }

    @Test("A key performs the actions of its row for every state and event, and ignores events without a row")
    func everyKeyPair() {
        let name = KeyName("k", .airPlay)
        for state in KeyState.allCases {
            for event in KeyEvent.allCases {
                var machine = Bench.machine(keyIn: state)
                #expect(machine.state(ofKey: name) == state)
                // The device can accept only a response that was given.
                if event == .load { _ = machine.handle(.request(state == .refreshing ? 2 : 1, .respond)) }
                let now: Duration = event == .leaseExpired ? .seconds(60) : .zero
                let actions = machine.handle(Bench.event(event, in: state), at: now)
                let label = "\(state) \(event)"
                #expect(machine.state(ofKey: name) == KeyTable.next(state, event) ?? state, "\(label)")
                #expect(actions.map(Bench.word) == Bench.words(state, event), "\(label)")
            }
        }
    }
}
