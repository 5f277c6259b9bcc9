// The listeners consist of both modules; other files and targets need to name only this one.
@_exported public import HTTPListening
