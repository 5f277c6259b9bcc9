import AVFoundation
import Locking
import Testing

@Suite("Downloads that continue while the app does not run", .timeLimit(.minutes(10)))
struct RelaunchTests {
    @Test("Rules 107 and 110: events wait for a session with the identifier, and its tasks have their description")
    func events() async throws {
        try await onSystem { system in
            system.media.publish(StreamContent(), at: film)
            let first = DownloadLog()
            first.makeSession().start(name: "one")
            await system.advance(by: .seconds(6))
            system.downloads.endProcess(forceQuit: false)
            await system.advance(by: .seconds(6))
            system.downloads.beginProcess()
            await system.settle()
            let second = DownloadLog()
            let session = second.makeSession()
            let tasks = await session.allTasks
            #expect(tasks.map(\.taskDescription) == ["one"] && tasks.map(\.state) == [.running])
            let task = try #require(tasks.first as? AVAssetDownloadTask)
            #expect(task.urlAsset.url == film)
            await system.advance(by: .seconds(60))
            #expect(first.events.last == "loaded 15 of 60")
            #expect(
                second.events == [
                    "loaded 30 of 60", "endOfEvents", "loaded 45 of 60", "loaded 60 of 60", "didFinish", "complete one",
                ]
            )
        }
    }

    @Test("Rule 107: events stay when only a session with another identifier exists")
    func otherIdentifier() async throws {
        try await onSystem { system in
            system.media.publish(StreamContent(), at: film)
            DownloadLog().makeSession().start(name: "one")
            system.downloads.endProcess(forceQuit: false)
            await system.advance(by: .seconds(60))
            system.downloads.beginProcess()
            let (other, right) = (DownloadLog(), DownloadLog())
            _ = other.makeSession("others")
            await system.settle()
            #expect(other.events == [])
            _ = right.makeSession()
            await system.settle()
            #expect(right.events.last == "endOfEvents" && right.events.dropLast().last == "complete one")
        }
    }

    @Test("Rule 105: whether the location is told again after a relaunch", arguments: [false, true])
    func locationAgain(isRepeated: Bool) async throws {
        var switches = Switches()
        switches.relaunchLocation = isRepeated ? .repeated : .notRepeated
        try await onSystem(switches: switches) { system in
            system.media.publish(StreamContent(), at: film)
            let first = DownloadLog()
            first.makeSession().start(name: "one")
            await system.advance(by: .seconds(6))
            system.downloads.relaunch()
            let second = DownloadLog()
            _ = second.makeSession()
            await system.settle()
            #expect(second.events.contains("willDownload") == isRepeated)
            // Rule 112: the container has moved, and the package with it.
            if isRepeated {
                #expect(second.locations.first?.relativePath == first.locations.first?.relativePath)
                #expect(second.locations.first?.path != first.locations.first?.path)
            }
        }
    }

    @Test("Rule 112: the container has another path after a relaunch, in which the relative path is right")
    func containerMoves() async throws {
        try await onSystem { system in
            system.media.publish(StreamContent(), at: film)
            let log = DownloadLog()
            log.makeSession().start()
            await system.advance(by: .seconds(60))
            let old = try #require(log.locations.first)
            let home = system.downloads.home
            system.downloads.relaunch()
            #expect(system.downloads.home != home)
            #expect(!FileManager.default.fileExists(atPath: old.absoluteURL.path))
            let new = system.downloads.home.appendingPathComponent(old.relativePath)
            #expect(AVURLAsset(url: new).assetCache?.isPlayableOffline == true)
        }
    }

    @Test("Rule 108: a force-quit cancels all tasks, for which the app is not launched")
    func forceQuit() async throws {
        try await onSystem { system in
            system.media.publish(StreamContent(), at: film)
            DownloadLog().makeSession().start(name: "one")
            await system.advance(by: .seconds(6))
            system.downloads.endProcess(forceQuit: true)
            await system.advance(by: .seconds(60))
            #expect(system.downloads.launchForEvents() == nil)
            system.downloads.beginProcess()
            let log = DownloadLog()
            let session = log.makeSession()
            await system.settle()
            #expect(log.events == ["error one NSURLErrorDomain -999", "endOfEvents"])
            #expect(await session.allTasks.isEmpty)
        }
    }

    @Test(
        "Rules 108 and 109: the app is launched for finished downloads, and calls the handler once, on the main queue"
    )
    func launch() async throws {
        try await onSystem { system in
            system.media.publish(StreamContent(), at: film)
            DownloadLog().makeSession().start(name: "one")
            system.downloads.endProcess(forceQuit: false)
            await system.advance(by: .seconds(10))
            #expect(system.downloads.launchForEvents() == nil)
            await system.advance(by: .seconds(60))
            let launch = try #require(system.downloads.launchForEvents())
            #expect(launch.identifier == "films")
            let log = DownloadLog()
            _ = log.makeSession(launch.identifier)
            await system.settle()
            #expect(log.events.suffix(2) == ["complete one", "endOfEvents"])
            await MainActor.run { launch.completionHandler() }
            #expect(launch.completionCalls == 1 && system.exceptions == [])
            await MainActor.run { launch.completionHandler() }
            #expect(system.takeExceptions().count == 1)
        }
    }

    @Test("Rule 109: the completion handler is misused on another queue, or before the end of the events")
    func misusedHandler() async throws {
        try await onSystem { system in
            system.media.publish(StreamContent(), at: film)
            DownloadLog().makeSession().start(name: "one")
            system.downloads.endProcess(forceQuit: false)
            await system.advance(by: .seconds(60))
            let launch = try #require(system.downloads.launchForEvents())
            await MainActor.run { launch.completionHandler() }
            #expect(system.takeExceptions().count == 1)
        }
        try await onSystem { system in
            system.media.publish(StreamContent(), at: film)
            DownloadLog().makeSession().start(name: "one")
            system.downloads.endProcess(forceQuit: false)
            await system.advance(by: .seconds(60))
            let launch = try #require(system.downloads.launchForEvents())
            let log = DownloadLog()
            _ = log.makeSession(launch.identifier)
            await system.settle()
            await withCheckedContinuation { done in
                DispatchQueue.global().async {
                    launch.completionHandler()
                    done.resume()
                }
            }
            #expect(system.takeExceptions().count == 1)
        }
    }

    @Test("Rule 103: a task without keys completes while the app does not run")
    func keysLater() async throws {
        try await onSystem { system in
            system.media.publish(.protected("skd://film"), at: film)
            let keys = StandInKeys(system)
            DownloadLog().makeSession().start(name: "one")
            system.downloads.endProcess(forceQuit: false)
            await system.advance(by: .seconds(60))
            #expect(system.downloads.launchIdentifiers == ["films"])
            #expect(keys.needs.count == 1)
        }
    }
}
