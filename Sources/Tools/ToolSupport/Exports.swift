// Commands that read secrets use both modules, and need to name only this one.
@_exported public import CommandSupport
