import ContentKeySession

extension FilmKeys {
    /// Requests the keys of films that the viewer may play next.
    public func prepare(_ films: [Film]) async { await loader.preload(films.flatMap(\.keys)) }
}
